/* SPDX-License-Identifier: MIT
 * The list of the addresses below the prefix that carry no signals. Dispatch, argument checks, sent messages, the map
 * of --print-map and OSCQuery all come from this list. A new address needs a row here and a handler. osc_messages/space.h has
 * the addresses of signals. */
#ifndef OSC_MESSAGES_ADDRESSES_H
#define OSC_MESSAGES_ADDRESSES_H

enum osc_address_flag {
  /* The handler judges the arguments itself; without this flag they must have the types of the row. */
  OSC_LENIENT = 1,
  OSC_CHANNELS = 2,   /* one f for each input channel follows the types */
  OSC_INJECTIONS = 4, /* described only if the configuration allows fault injection */
  OSC_PLATFORM = 8,   /* served only if the model has a motion platform */
  OSC_STOPS = 16,     /* acts with any arguments that are not clearly the release of a button */
};

/* Nothing, the value of a button, or the number of a request: see buttons.c. */
#define OSC_PRESS_TYPES "|T|F|I|N|d|f|i"

/* RECEIVED(address, types, flags, unit, description, handler), SENT(name, address, types, unit, description). A bar
 * separates alternative types. The rows have the order of the map. */
#define OSC_ADDRESS_LIST(RECEIVED, SENT)                                                                     \
  RECEIVED("cmd/init", OSC_PRESS_TYPES, 0, "",                                                               \
           "command; ali3d answers with ack; the release of a button, 0 or F, does nothing", osc_on_command) \
  RECEIVED("cmd/arm", OSC_PRESS_TYPES, 0, "", "command", osc_on_command)                                     \
  RECEIVED("cmd/run", OSC_PRESS_TYPES, 0, "", "command", osc_on_command)                                     \
  RECEIVED("cmd/pause", OSC_PRESS_TYPES, OSC_LENIENT | OSC_STOPS, "", "command", osc_on_command)             \
  RECEIVED("cmd/stop", OSC_PRESS_TYPES, 0, "", "command", osc_on_command)                                    \
  RECEIVED("cmd/reset", OSC_PRESS_TYPES, 0, "", "command", osc_on_command)                                   \
  RECEIVED("cmd/park", OSC_PRESS_TYPES, 0, "", "command", osc_on_command)                                    \
  RECEIVED("cmd/estop", OSC_PRESS_TYPES, OSC_LENIENT | OSC_STOPS, "",                                        \
           "e-stop: works in every state, readers may send it; a release does nothing", osc_on_estop)        \
  RECEIVED("cmd/clear", OSC_PRESS_TYPES, 0, "", "clears maxima and distributions", osc_on_command)           \
  RECEIVED("step", "i|ii", 0, "", "number of cycles to run in lockstep, request number", osc_on_step)        \
  SENT(STEPPED, "stepped", "ihi", "",                                                                        \
       "request number, cycle of the last step, packets of that frame for the sender; then ack")             \
  SENT(ACK, "ack", "sii", "", "command, request number, result")                                             \
  RECEIVED("sync", "i", 0, "", "number; ali3d answers with synced after all earlier commands", osc_on_sync)  \
  SENT(SYNCED, "synced", "i", "", "number of the answered sync")                                             \
  RECEIVED("ping", "ih", 0, "- ns", "number, sender's time; ali3d answers with pong", osc_on_ping)           \
  SENT(PONG, "pong", "ihhh", "- ns ns ns", "number and time of the ping, time of receipt, time of sending")  \
  RECEIVED("status", "", 0, "", "asks for the status", osc_on_status)                                        \
  SENT(STATUS, "status", "sifffiiii", "- - ms us us - ms - -",                                               \
       "state, code, period, last and longest cycle, misses, input age, fault, clients")                     \
  SENT(FAULT, "fault", "iis", "",                                                                            \
       "code, channel or -1, text; sent with the stream status when the fault changes")                      \
  RECEIVED("sub", "siii", 0, "", "stream, port, divisor, profile; lasts 10 s; ali3d answers with sub/ack",   \
           osc_on_subscribe)                                                                                 \
  SENT(SUB_ACK, "sub/ack", "si", "", "stream, result")                                                       \
  RECEIVED("unsub", "s|si", 0, "", "stream, port; ali3d answers with unsub/ack", osc_on_unsubscribe)         \
  SENT(UNSUB_ACK, "unsub/ack", "si", "", "stream, result")                                                   \
  RECEIVED("heartbeat", "i", 0, "", "count; a changed count renews the sender's subscriptions",              \
           osc_on_heartbeat)                                                                                 \
  SENT(HEADER, "hdr", "ifiiii|hdiiii", "- s - - - -", "cycle, simulated time, state, flags, part, parts")    \
  RECEIVED("inputs", "|s", 0, "", "asks for the condition of all inputs, or of the one with this name",      \
           osc_on_inputs)                                                                                    \
  SENT(INPUT_STATE, "inputs/state", "sssfs", "- - - s -",                                                    \
       "name, state, limits, age (-1: never set), owner; then written and acting value of each channel")     \
  RECEIVED("in/blob", "iib", 0, "", "number, CRC-32, all channels as packed floats", osc_on_blob)            \
  RECEIVED("in/frame", "ih", OSC_CHANNELS | OSC_LENIENT, "", "number, sender's time (ns), all channels",     \
           osc_on_frame)                                                                                     \
  RECEIVED("inject", "si|sii", OSC_INJECTIONS | OSC_LENIENT, "",                                             \
           "name of the fault, 1 on or 0 off, request number", osc_on_inject)                                \
  RECEIVED("stimulus", "si|sii", OSC_LENIENT, "", "name of the stimulus, 1 start or 0 stop, request number", \
           osc_on_stimulus)                                                                                  \
  RECEIVED("platform/set", "sf|sfi|sfff|sfffi|sd|sdi|sddd|sdddi|si|sii|siii|siiii", OSC_PLATFORM, "",        \
           "platform parameter, its value or its three values, request number; ali3d answers with ack",      \
           osc_on_platform_set)                                                                              \
  RECEIVED("platform/jog", "sf|sfi|sfiii|sd|sdi|sdiii|si|sii|siiii", OSC_PLATFORM, "",                       \
           "surge to yaw or leg1 to leg6, -1 to 1 of the crawl speed (0 stops), request number; then hand "  \
           "and number; the last number rises",                                                              \
           osc_on_platform_jog)                                                                              \
  RECEIVED("state/save", "|s|si", OSC_LENIENT, "",                                                           \
           "name, request number: saves the state; answered with ack", osc_on_desk)                          \
  RECEIVED("state/load", "s|si", OSC_LENIENT, "",                                                            \
           "name, request number: loads a state in STOPPED or PAUSED", osc_on_desk)                          \
  RECEIVED("state/list", "|i", OSC_LENIENT, "", "request number: answered with entries, then ack",           \
           osc_on_desk)                                                                                      \
  SENT(STATE_ENTRY, "state/entry", "shh", "- s -", "name, time since 1970, bytes")                           \
  SENT(STATE_ERROR, "state/error", "sis", "", "name, request number, reason of a refusal")                   \
  RECEIVED("param/set", "sf|sd|sfi|sdi|sfff|sfffi", OSC_LENIENT, "",                                         \
           "parameter, its numbers, time over which it moves (s), request number; answered with ack",        \
           osc_on_desk)                                                                                      \
  RECEIVED("param/begin", "|i", OSC_LENIENT, "", "begins a set, which acts as one", osc_on_desk)             \
  RECEIVED("param/commit", "|i", OSC_LENIENT, "", "the set acts between two cycles", osc_on_desk)            \
  RECEIVED("param/abort", "|i", OSC_LENIENT, "", "drops the set", osc_on_desk)                               \
  RECEIVED("param/get", "s|si", OSC_LENIENT, "", "parameter; answered with value and ack", osc_on_desk)      \
  RECEIVED("param/list", "|s|si|sii", OSC_LENIENT, "",                                                       \
           "beginning of names, first entry, request number; answered with values, then ack", osc_on_desk)   \
  RECEIVED("param/save", "s|si", OSC_LENIENT, "", "name: all parameters into a file beside the states",      \
           osc_on_desk)                                                                                      \
  RECEIVED("param/load", "s|si", OSC_LENIENT, "", "name: what differs in this file acts as one set",         \
           osc_on_desk)                                                                                      \
  RECEIVED("record/start", "|s|si", OSC_LENIENT, "",                                                         \
           "label, request number: ali3-record begins a file; answered with ack", osc_on_desk)               \
  RECEIVED("record/stop", "|i", OSC_LENIENT, "", "request number: ali3-record closes its file", osc_on_desk) \
  RECEIVED("record/split", "|i", OSC_LENIENT, "", "request number: ali3-record goes on in a new file",       \
           osc_on_desk)                                                                                      \
  RECEIVED("record/mark", "s|si", OSC_LENIENT, "", "text, request number: a mark in the recording",          \
           osc_on_desk)                                                                                      \
  SENT(RECORD_ERROR, "record/error", "sis", "", "name, request number, reason of a refusal")                 \
  SENT(PARAM_VALUE, "param/value", "ssddd", "", "name, unit, least and greatest value, then its numbers")    \
  SENT(PARAM_ERROR, "param/error", "sis", "",                                                                \
       "name, request number, reason of a refusal, or where a list goes on")

/* Expands to nothing, so that a use of the list can skip one kind of row. */
#define OSC_NO_ROW(...)

/* Names of the sent messages. */
#define OSC_SENT_ENUM(name, address, types, unit, text) OSC_SENT_##name,
enum osc_sent { OSC_ADDRESS_LIST(OSC_NO_ROW, OSC_SENT_ENUM) OSC_SENT };
#undef OSC_SENT_ENUM

#endif
