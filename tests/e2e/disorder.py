# SPDX-License-Identifier: MIT
"""A bad network between one UDP client and a daemon: it loses, doubles, delays and reorders datagrams, both ways."""
import heapq
import random
import select
import socket
import threading
import time


class Relay:
    """Use as a context. Clients send to `port`. loss: share of datagrams that never arrive; others come up to `delay` late."""

    def __init__(self, to_port, loss, delay=0.004, doubled=0.05, seed=1):
        self.choice, self.loss, self.delay, self.doubled = random.Random(seed), loss, delay, doubled
        self.near, self.far = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self.near.bind(("127.0.0.1", 0))
        self.far.connect(("127.0.0.1", to_port))
        self.port, self.client, self.lost, self.carried = self.near.getsockname()[1], None, 0, 0
        for s in (self.near, self.far):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.carry)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()
        self.near.close()
        self.far.close()

    def carry(self):
        late, count = [], 0
        while not self.ending.is_set():
            wait = max(0, late[0][0] - time.monotonic()) if late else 0.05
            ready, _, _ = select.select([self.near, self.far], [], [], wait)
            for s in ready:
                try:
                    packet, sender = s.recvfrom(65536)
                except ConnectionRefusedError:
                    continue
                if s is self.near:
                    self.client = sender
                self.carried += 1
                if self.choice.random() < self.loss:
                    self.lost += 1
                    continue
                for _ in range(1 + (self.choice.random() < self.doubled)):
                    count += 1
                    heapq.heappush(late, (time.monotonic() + self.delay * self.choice.random(), count, s is self.near, packet))
            while late and late[0][0] <= time.monotonic():
                _, _, forth, packet = heapq.heappop(late)
                if forth:
                    self.far.send(packet)
                else:
                    self.near.sendto(packet, self.client)
