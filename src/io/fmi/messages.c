/* SPDX-License-Identifier: MIT
 * Messages of an instance to the log of the importer. */
#include "fmi/instance.h"

#include <stdarg.h>

const char *const fmu_category_name[FMU_CATEGORIES] = {
#define CATEGORY_NAME(id, name, text) [id] = (name),
    FMU_CATEGORY_LIST(CATEGORY_NAME)
#undef CATEGORY_NAME
};

static const char *const phase_words[FMU_PHASES] = {
    [FMU_INSTANTIATED] = "before EnterInitializationMode",
    [FMU_INITIALIZATION] = "in initialization mode",
    [FMU_STEPPING] = "in step mode",
    [FMU_TERMINATED] = "after Terminate",
    [FMU_FAILED] = "after an error; reset the instance or set a saved state",
};

enum fmu_status fmu_say(struct fmu *f, enum fmu_status status, enum fmu_category category, const char *format,
                        ...)
{
  char text[700];
  va_list arguments;
  if (!f->log.put || f->silent[category]) return status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  f->log.put(&f->log, status, fmu_category_name[category], text);
  return status;
}

bool fmu_allows(struct fmu *f, const char *call, unsigned phases)
{
  if (phases >> f->phase & 1) return true;
  fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "%s is not allowed %s", call, phase_words[f->phase]);
  return false;
}
