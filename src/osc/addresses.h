/* SPDX-License-Identifier: MIT
 * The list of the addresses below the prefix that carry no signals. Dispatch, the checks of arguments, the messages that are
 * sent, the map of --print-map and OSCQuery all come from it. A new address needs a row here, and its handler. The addresses of
 * signals are in osc/space.h. */
#ifndef OSC_ADDRESSES_H
#define OSC_ADDRESSES_H

enum osc_address_flag {
  OSC_LENIENT = 1, /* the handler judges the arguments itself; else they are of the types named, or refused */
  OSC_CHANNELS = 2,   /* behind the types stands one f for each channel of the inputs */
  OSC_INJECTIONS = 4, /* described only where faults can be injected */
  OSC_PLATFORM = 8,   /* there is only a motion platform to take it */
};

/* RECEIVED(address, types, flags, unit, what it is, handler), SENT(name, address, types, unit, what it is). Alternatives of types
 * stand behind bars. In the order of the map. */
#define OSC_ADDRESS_LIST(RECEIVED, SENT)                                                                     \
  RECEIVED("cmd/init", "|i", 0, "", "command; answered with ack", osc_on_command)                            \
  RECEIVED("cmd/arm", "|i", 0, "", "command", osc_on_command)                                                \
  RECEIVED("cmd/run", "|i", 0, "", "command", osc_on_command)                                                \
  RECEIVED("cmd/pause", "|i", 0, "", "command", osc_on_command)                                              \
  RECEIVED("cmd/stop", "|i", 0, "", "command", osc_on_command)                                               \
  RECEIVED("cmd/reset", "|i", 0, "", "command", osc_on_command)                                              \
  RECEIVED("cmd/park", "|i", 0, "", "command", osc_on_command)                                               \
  RECEIVED("cmd/estop", "|i", OSC_LENIENT, "", "e-stop: in any state, from whoever may read", osc_on_estop)  \
  RECEIVED("cmd/clear", "|i", 0, "", "maxima and distributions begin anew", osc_on_command)                  \
  RECEIVED("step", "i|ii", 0, "", "cycles to run in lockstep; request number", osc_on_step)                  \
  SENT(ACK, "ack", "sii", "", "command, request number, result")                                             \
  RECEIVED("sync", "i", 0, "", "barrier: answered with synced after all earlier commands", osc_on_sync)      \
  SENT(SYNCED, "synced", "i", "", "the number of the sync")                                                  \
  RECEIVED("ping", "ih", 0, "- ns", "number, sender's time; answered with pong", osc_on_ping)                \
  SENT(PONG, "pong", "ihhh", "- ns ns ns", "the two back, time of receipt and of sending")                   \
  RECEIVED("status", "", 0, "", "asks for the status", osc_on_status)                                        \
  SENT(STATUS, "status", "sifffiiii", "- - ms us us - ms - -",                                               \
       "state, code, period, last and longest cycle, misses, input age, fault, clients")                     \
  SENT(FAULT, "fault", "iis", "", "code, channel or -1, text; with the stream status, when it changes")      \
  RECEIVED("sub", "siii", 0, "", "stream, port, divisor, profile; for 10 s; answered with sub/ack",          \
           osc_on_subscribe)                                                                                 \
  SENT(SUB_ACK, "sub/ack", "si", "", "stream, result")                                                       \
  RECEIVED("unsub", "s|si", 0, "", "stream, port; answered with unsub/ack", osc_on_unsubscribe)              \
  SENT(UNSUB_ACK, "unsub/ack", "si", "", "stream, result")                                                   \
  RECEIVED("heartbeat", "i", 0, "", "a count that changes: renews the sender's subscriptions",               \
           osc_on_heartbeat)                                                                                 \
  SENT(HEADER, "hdr", "ifiiii|hdiiii", "- s - - - -", "cycle, simulated time, state, flags, part, parts")    \
  RECEIVED("in/blob", "iib", 0, "", "number, CRC-32, all channels as packed floats", osc_on_blob)            \
  RECEIVED("in/frame", "ih", OSC_CHANNELS | OSC_LENIENT, "", "number, sender's time (ns), all channels",     \
           osc_on_frame)                                                                                     \
  RECEIVED("inject", "si|sii", OSC_INJECTIONS | OSC_LENIENT, "",                                             \
           "fault injection, 1 on or 0 off, request number", osc_on_inject)                                  \
  RECEIVED("platform/set", "sf|sfi|sd|sdi|si|sii", OSC_PLATFORM, "",                                         \
           "a parameter of the platform, its value, request number; answered with ack", osc_on_platform_set)

/* For one of the two. */
#define OSC_NO_ROW(...)

/* What is sent, by name. */
#define OSC_SENT_ENUM(name, address, types, unit, text) OSC_SENT_##name,
enum osc_sent { OSC_ADDRESS_LIST(OSC_NO_ROW, OSC_SENT_ENUM) OSC_SENT };
#undef OSC_SENT_ENUM

#endif
