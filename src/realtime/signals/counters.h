/* SPDX-License-Identifier: MIT
 * Counters of events in the protocols, and of what the host does to the loop. They are in the shared telemetry block.
 * One thread writes each counter with relaxed atomics, any thread or tool may read it. */
#ifndef SIGNALS_COUNTERS_H
#define SIGNALS_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/* Name, and what it counts (shown to users). */
#define COUNTER_LIST(X)                                                                                      \
  X(osc_received, "OSC messages accepted")                                                                   \
  X(osc_commands, "OSC commands passed on")                                                                  \
  X(osc_malformed, "OSC packets malformed or too large")                                                     \
  X(osc_unknown, "OSC messages to an unknown address")                                                       \
  X(osc_type_errors, "OSC messages with wrong argument types")                                               \
  X(osc_nonfinite, "OSC messages refused for NaN or infinity")                                               \
  X(osc_repeated, "OSC input frames refused for a repeated sequence number")                                 \
  X(osc_late, "OSC input frames refused because a later one came first")                                     \
  X(osc_checksum, "OSC input blobs refused for a wrong checksum")                                            \
  X(osc_refused, "OSC inputs refused because they have another owner")                                       \
  X(osc_denied, "OSC messages refused because the sender has no access")                                     \
  X(osc_withheld, "OSC answers withheld: no subscription, or too many at once")                              \
  X(osc_overflow, "OSC datagrams that the kernel dropped: the socket was full")                              \
  X(osc_over_budget, "OSC datagrams dropped because their host used up its share")                           \
  X(osc_frames, "frames sent over OSC")                                                                      \
  X(osc_send_ns, "processor time spent sending frames over OSC (ns in JSON, s in Prometheus)")               \
  X(osc_sent, "OSC packets sent")                                                                            \
  X(osc_send_errors, "OSC packets that could not be sent")                                                   \
  X(osc_clients, "OSC targets and subscribers now")                                                          \
  X(modbus_clients, "Modbus clients connected now")                                                          \
  X(modbus_accepted, "Modbus connections accepted")                                                          \
  X(modbus_refused, "Modbus connections refused (too many, or too many of one host)")                        \
  X(modbus_replaced, "Modbus connections closed to make room for another")                                   \
  X(modbus_requests, "Modbus requests answered")                                                             \
  X(modbus_exceptions, "Modbus exceptions answered")                                                         \
  X(modbus_commands, "Modbus commands passed on")                                                            \
  X(modbus_bad_frames, "Modbus frames with a bad header")                                                    \
  X(modbus_half_frames, "Modbus connections closed in mid-frame")                                            \
  X(modbus_idle_closed, "Modbus connections closed for idleness")                                            \
  X(modbus_dropped, "Modbus connections closed because the client did not read")                             \
  X(modbus_nonfinite, "Modbus input frames refused for NaN or infinity")                                     \
  X(modbus_owned, "Modbus writes of an input refused because it has another owner")                          \
  X(modbus_ignored, "Modbus writes taken without effect in SAFE or FAULT (modbus.safe_writes: ignore)")      \
  X(modbus_clamped, "numbers in Modbus registers clamped to the range of their type")                        \
  X(inputs_refused,                                                                                          \
    "samples of an input refused because another source owns it or the key from excludes the source")        \
  X(inputs_repeated, "samples of an input ignored because their number repeats")                             \
  X(inputs_late, "samples of an input ignored because later ones came first")                                \
  X(inputs_restarts, "times that the numbers of an input restarted")                                         \
  X(inputs_nonfinite, "samples of an input refused by the loop for NaN or infinity")                         \
  X(inputs_stale, "times that an input went stale")                                                          \
  X(inputs_injected, "samples of an input changed by fault injection")                                       \
  X(modbus_denied, "Modbus connections refused (not among modbus.peers)")                                    \
  X(modbus_rtu_requests, "Modbus requests on the serial line")                                               \
  X(modbus_rtu_errors,                                                                                       \
    "Modbus frames on the serial line with a bad CRC, and answers that could not be written")                \
  X(modbus_rtu_reopened, "times that the serial line of Modbus was reopened")                                \
  X(packets_sent, "packets sent")                                                                            \
  X(packets_dropped, "packets dropped because the line or the socket had no room")                           \
  X(packets_errors, "packets that could not be sent")                                                        \
  X(packets_withheld, "packets not sent for NaN or infinity")                                                \
  X(packets_clamped, "numbers in packets clamped to the range of their type")                                \
  X(packets_received, "packets received")                                                                    \
  X(packets_refused, "received packets of another size or content, or with NaN or infinity")                 \
  X(packets_checksums, "received packets with a wrong checksum")                                             \
  X(packets_strangers, "packets received from another host than that of the configuration")                  \
  X(packets_reopened, "times that a serial line of packets was reopened")                                    \
  X(commands_dropped, "commands dropped because a queue was full")                                           \
  X(loop_page_faults, "page faults of the loop since the warm-up")                                           \
  X(loop_preemptions, "times that the loop was preempted since the warm-up")                                 \
  X(miss_unknown, "deadlines missed, cause unknown") /* one for each of MISS_CAUSE_LIST, in its order */     \
  X(miss_suspended, "deadlines missed: the process was stopped")                                             \
  X(miss_host_asleep, "deadlines missed: the machine was suspended")                                         \
  X(miss_late_wake, "deadlines missed: the kernel woke the loop late")                                       \
  X(miss_page_fault, "deadlines missed: page faults")                                                        \
  X(miss_preempted, "deadlines missed: another thread took the processor")                                   \
  X(miss_blocked, "deadlines missed: the loop slept, or waited for a lock or a device")                      \
  X(miss_worker, "deadlines missed: a worker came late or took long")                                        \
  X(miss_worker_lost, "deadlines missed: a worker has ended")                                                \
  X(miss_computing, "deadlines missed: the step took too long")                                              \
  X(miss_carried, "deadlines missed: late from the cycle before")                                            \
  X(miss_stolen, "deadlines missed: interrupts or a hypervisor took the processor")                          \
  X(miss_early_frame, "deadlines missed: the next input frame came early")

struct counters {
#define COUNTER_FIELD(name, text) _Atomic uint64_t name;
  COUNTER_LIST(COUNTER_FIELD)
#undef COUNTER_FIELD
};

/* RT. */
static inline void counter_add(_Atomic uint64_t *c, uint64_t n)
{
  atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}
static inline void counter_set(_Atomic uint64_t *c, uint64_t v)
{
  atomic_store_explicit(c, v, memory_order_relaxed);
}
static inline uint64_t counter_get(const _Atomic uint64_t *c)
{
  return atomic_load_explicit((_Atomic uint64_t *)c, memory_order_relaxed);
}

#endif
