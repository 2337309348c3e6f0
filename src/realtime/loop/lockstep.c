/* SPDX-License-Identifier: MIT */
#include "loop/lockstep.h"

bool lockstep_owe(struct lockstep *l, const struct command *command, int port)
{
  if (l->owed > 0 || l->done || command->argument == 0) return false;
  l->owed = command->argument;
  l->port = port;
  l->answer = (struct answer){.code = command->code, .id = command->id, .client = command->client};
  return true;
}

void lockstep_settle(struct lockstep *l, bool running, bool stepped)
{
  if (l->owed == 0) return;
  if (running && stepped) l->owed--;
  if (running && l->owed > 0) return;
  l->owed = 0;
  l->answer.result = running ? RESULT_OK : RESULT_WRONG_STATE;
  l->done = true;
}
