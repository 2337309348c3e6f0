/* SPDX-License-Identifier: MIT
 * Functions of a program with the names of functions within the library. */
int list_push(void);
int list_push(void)
{
  return 1;
}
int assemble(void);
int assemble(void)
{
  return 2;
}
int ring_init(void);
int ring_init(void)
{
  return 3;
}
