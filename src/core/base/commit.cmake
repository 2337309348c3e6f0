# SPDX-License-Identifier: MIT
# cmake -DSOURCE=FOLDER -DOUT=FILE [-DCOMMIT=NAME] -P commit.cmake: writes the commit of the sources into a header, if it has changed.
set(commit unknown)
find_package(Git QUIET)
if(COMMIT) # sources without their repository
  set(commit ${COMMIT})
elseif(GIT_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty=+ --abbrev=12 --match=NONE
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found MATCHES "^[0-9a-f]+[+]?$")
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define ALI3_COMMIT \"${commit}\"\n")
