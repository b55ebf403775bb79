"""A small WebSocket client (RFC 6455) and HTTP requests over plain sockets, so that a test can also do what no browser would."""
import base64
import json
import os
import socket
import struct
import time

PATIENCE = 60.0  # s until a test gives up: long, since machines under test are busy


class Closed(Exception):
    """The connection ended, with the code of its close frame if it had one."""

    def __init__(self, code=None):
        super().__init__(f"closed with {code}")
        self.code = code


def request(port, path, headers=None, method="GET"):
    """One HTTP request; status, headers in lower case, body."""
    given = {"Host": f"127.0.0.1:{port}", "Connection": "close"}
    given.update(headers or {})
    text = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in given.items() if v is not None)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as stream:
        stream.sendall(text.encode() + b"\r\n")
        answer = b""
        while chunk := receive_some(stream):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1]) if len(lines[0].split()) > 1 else 0
    return status, dict((k.lower(), v.strip()) for k, _, v in (line.partition(":") for line in lines[1:])), body


def receive_some(stream):
    try:
        return stream.recv(65536)
    except ConnectionResetError:
        return b""


class Client:
    def __init__(self, port, token=None, origin=None, host=None, cookie=None, protocol="sinew", path="/live", buffer=None):
        self.stream = socket.socket()
        if buffer:
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.stream.settimeout(PATIENCE)
        self.stream.connect(("127.0.0.1", port))
        self.rest = b""
        self.parts = []
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path}{'?token=' + token if token else ''} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}",
                 "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        lines += [f"Origin: {origin}"] if origin else []
        lines += [f"Cookie: {cookie}"] if cookie else []
        self.stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.rest:
            chunk = receive_some(self.stream)
            if not chunk:
                break
            self.rest += chunk
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        words = head.split()
        self.status = int(words[1]) if len(words) > 1 else 0

    def frame(self, opcode, data, final=True):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([(0x80 if final else 0) | opcode])
        head += bytes([0x80 | size]) if size < 126 else \
            b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
        key = mask * (size // 4 + 1)
        hidden = (int.from_bytes(data, "big") ^ int.from_bytes(key[:size], "big")).to_bytes(size, "big") if size else b""
        self.stream.sendall(head + mask + hidden)

    def say(self, **command):
        self.frame(1, json.dumps(command).encode())

    def read(self, count):
        while len(self.rest) < count:
            chunk = receive_some(self.stream)
            if not chunk:
                raise Closed()
            self.rest += chunk
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def message(self):
        """The next whole message: a dict, or bytes."""
        while True:
            first, second = self.read(2)
            size = second & 127
            size = struct.unpack(">H", self.read(2))[0] if size == 126 else struct.unpack(">Q", self.read(8))[0] if size == 127 else size
            data = self.read(size)
            opcode = first & 15
            if opcode == 8:
                raise Closed(struct.unpack(">H", data[:2])[0] if len(data) >= 2 else None)
            if opcode == 9:
                self.frame(10, data)
            if opcode in (0, 1, 2):
                self.kind = opcode or self.kind
                self.parts.append(data)
                if first & 0x80:
                    whole, self.parts = b"".join(self.parts), []
                    return json.loads(whole) if self.kind == 1 else whole

    def until(self, wanted):
        """The first message for which `wanted` is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.message()
            if wanted(message):
                return message
        raise TimeoutError("what was waited for did not come")

    def text(self, name):
        return self.until(lambda m: isinstance(m, dict) and m.get("is") == name)

    def picture(self):
        """The next frame: generation, time, steps, flags."""
        data = self.until(lambda m: isinstance(m, bytes) and struct.unpack("<I", m[:4])[0] == 2)
        generation, moment, steps = struct.unpack("<IdQ", data[4:24])
        return generation, moment, steps, struct.unpack("<I", data[32:36])[0]

    def hello(self):
        self.say(do="hello", protocol=1)
        return self.text("welcome")

    def close(self):
        self.stream.close()
