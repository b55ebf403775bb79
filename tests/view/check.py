"""Tries the server of `sinew view` as a user, as a program and as an attacker would.

    python3 tests/view/check.py path/to/sinew

One line per check, then `N passed, M failed`.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from socket_client import PATIENCE, Client, Closed, request  # noqa: E402

passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    print(f"ok      {name}" if good else f"FAILED  {name}: {detail}", flush=True)


class Server:
    """A `sinew view` under test, with all it writes."""

    def __init__(self, *arguments, port=0, env=None):
        self.log = []
        self.process = subprocess.Popen([sinew, "view", "--no-open", "--port", str(port), *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **(env or {})})
        threading.Thread(target=self.listen, daemon=True).start()
        self.read_address()
        self.cookie = None

    def read_address(self):
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        if not found:
            raise RuntimeError(f"no address: {self.address!r} {self.log}")
        self.port, self.token = int(found[1]), found[2]

    def listen(self):
        for line in self.process.stderr:
            self.log.append(line.rstrip("\n"))

    def logged(self, words):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if any(words in line for line in self.log):
                return True
            time.sleep(0.02)
        return False

    def enter(self):
        """Spends the token on a cookie, as a browser does; the headers of the answer."""
        status, headers, _ = request(self.port, f"/?token={self.token}")
        self.cookie = headers.get("set-cookie", "").split(";")[0]
        return status, headers

    def client(self, **given):
        if self.cookie is None and not given:
            self.enter()
        return Client(self.port, **{"cookie": self.cookie, **given})

    def another_address(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.read_address()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "killed"


def refusals(server):
    port, token = server.port, server.token
    own = f"http://127.0.0.1:{port}"
    check("who asks how to open another window is told", server.logged("Enter prints an address for another browser"))
    server.another_address()
    check("an address that was not used is printed again", server.token == token and server.logged("not used yet"))
    status, headers, _ = request(port, f"/?token={token}", method="HEAD")
    check("a look at the head spends nothing", status == 403 and "set-cookie" not in headers, headers)
    status, headers, _ = request(port, f"/?token={token}", {"Host": f"attacker.example:{port}"})
    check("another host name is refused, and spends nothing", status == 403 and server.logged("attacker.example"))
    status, headers = server.enter()
    cookie = server.cookie
    check("the printed address gives a cookie", status == 303 and cookie.startswith(f"sinew-{port}=") and
          "HttpOnly" in headers["set-cookie"] and "SameSite=Strict" in headers["set-cookie"], headers)
    check("the token does not stay in the address", headers.get("location") == "/", headers)
    check("the cookie is another secret", token not in cookie)
    status, headers, body = request(port, f"/?token={token}")
    check("the address lets in once", status == 403 and "set-cookie" not in headers and b"used already" in body and
          b"press Enter" in body and "text/html" in headers["content-type"] and server.logged("that was used already"), body)
    status, headers, _ = request(port, f"/?token={token}", {"Cookie": cookie})
    check("the same browser may open it again", status == 303 and headers.get("location") == "/" and
          "set-cookie" not in headers, headers)
    client = server.client(token=token, cookie=None)
    check("a program is not let in by it any more", client.status != 101 and server.logged("a connection with a token that was used"))
    client.close()
    server.another_address()
    check("Enter prints another address", server.token != token and server.port == port)
    client = server.client(token=server.token, cookie=None)
    check("a program is let in by the token", client.status == 101 and client.hello()["engine"] == "native")
    client.close()
    client = server.client(token=server.token, cookie=None)
    check("once", client.status != 101)
    client.close()
    server.another_address()
    status, headers, body = request(port, "/", {"Cookie": cookie, "Accept-Encoding": "gzip"})
    check("the page is served with the cookie", status == 200 and len(body) > 100, status)
    check("with headers that guard it", "frame-ancestors 'none'" in headers.get("content-security-policy", "") and
          headers.get("x-content-type-options") == "nosniff" and headers.get("referrer-policy") == "no-referrer", headers)
    status, _, body = request(port, "/")
    check("without a token nothing is served", status == 403 and b"token" in body and server.logged("without the token"))
    status, _, _ = request(port, "/?token=" + "0" * 32)
    check("nor with a wrong one", status == 403 and server.logged("with a wrong token"))
    status, _, _ = request(port, "/", {"Cookie": f"sinew-{port}=" + "0" * 32})
    check("nor with a wrong cookie", status == 403)
    token = server.token
    status, _, _ = request(port, f"/?token={token}", {"Host": None})
    check("no host name, too", status in (0, 400, 403), status)
    status, _, _ = request(port, "/../../etc/passwd", {"Cookie": cookie, "Accept-Encoding": "gzip"})
    check("paths lead nowhere else", status in (400, 403, 404), status)
    status, _, _ = request(port, "/", {"Cookie": cookie, "Content-Length": "0"}, method="POST")
    check("only GET is answered", status == 405, status)

    for name, given, words in (
            ("another origin", {"origin": "https://attacker.example"}, "from a page of"),
            ("another origin with the token", {"origin": "http://localhost:1", "token": token, "cookie": None}, "from a page of"),
            ("a wrong token", {"token": "f" * 32, "cookie": None}, "with a wrong token, or without one"),
            ("nothing", {"cookie": None}, "with a wrong token, or without one"),
            ("an own origin without cookie", {"origin": own, "cookie": None}, "without its cookie"),
            ("another host", {"host": f"attacker.example:{port}"}, "attacker.example"),
            ("another path", {"path": "/other"}, "/other"),
            ("no subprotocol", {"protocol": None}, "without the subprotocol")):
        client = server.client(**given)
        check(f"no connection with {name}", client.status != 101 and server.logged(words), client.status)
        client.close()
    for name, given in (("a page with its cookie", {"origin": own}), ("a program with the cookie", {}),
                        ("a page with its cookie by the name localhost",
                         {"origin": f"http://localhost:{port}", "host": f"localhost:{port}"})):
        client = server.client(**given)
        check(f"{name} connects", client.status == 101 and client.hello()["engine"] == "native")
        client.close()


def messages(server):
    client = server.client()
    welcome = client.hello()
    check("welcome lists the scenes", any(s["name"] == "steel-fish" and s["group"] for s in welcome["scenes"]))
    scene = client.text("scene")
    check("the scene is told", scene["name"] == "steel-fish" and len(scene["bodies"]) >= 9)
    first = client.picture()
    later = client.until(lambda m: isinstance(m, bytes) and m[:4] == b"\2\0\0\0" and
                         int.from_bytes(m[16:24], "little") > first[2] + 20)
    check("and moves", later)
    client.say(do="pause", id=4)
    check("commands are answered", client.text("reply")["id"] == 4)
    for bad in (b"{", b"\xff\xfe{}", b'{"do": "fly"}', b"[" * 5000, b'{"do": "hello", "protocol": 99}'):
        client.frame(2 if bad[0] == 0xff else 1, bad)
        check(f"nonsense is answered: {bad[:12]!r}", "text" in client.text("error"))
    client.frame(1, b'{"do": "ping", ', final=False)
    client.frame(0, b'"t": 5}')
    check("pieces are put together", client.text("pong")["t"] == 5)
    client.say(do="file", what="state.csv", id=8)
    data = client.until(lambda m: isinstance(m, bytes) and m[:4] == b"\4\0\0\0")
    check("files come", b"time[s],beam height[m]" in data)

    giant = server.client()
    giant.hello()
    giant.say(do="rate", frames=0)  # it will not read while it sends
    code = None
    try:
        giant.frame(1, b'{"do": "open", "name": "x", "text": "' + b" " * (9 << 20) + b'"}')
        giant.text("never")
    except Closed as closed:
        code = closed.code
    except (BrokenPipeError, ConnectionResetError):
        code = "reset"
    check("a giant message ends its connection", code in (1009, "reset", None) and server.logged("more than 8 MB"), code)

    flood = server.client()
    flood.hello()
    try:
        for _ in range(20000):
            flood.say(do="ping", t=1)
        flood.text("never")
    except (Closed, BrokenPipeError, ConnectionResetError):
        pass
    check("a flood ends its connection", server.logged("messages a second") or server.logged("pile up"))

    raw = server.client()
    raw.frame(3, b"hello")  # of no kind that there is
    try:
        raw.text("never")
        check("a malformed frame ends its connection", False)
    except Closed:
        check("a malformed frame ends its connection", True)
    client.say(do="ping", t=6)
    check("all others go on", client.text("pong")["t"] == 6)
    client.close()


def crowd(server):
    clients, refused = [], 0
    for _ in range(52):
        client = server.client()
        try:
            client.hello()
            clients.append(client)
        except (Closed, BrokenPipeError, ConnectionResetError):
            refused += 1
    # The stuck one of before may still have a place.
    check("50 clients come in, the next ones are sent away", len(clients) in (49, 50) and refused == 52 - len(clients) and
          server.logged("50 clients already"), (len(clients), refused))
    clients[0].say(do="play")
    check("and all are served at once", all(client.picture() for client in clients))
    for client in clients:
        client.close()
    welcome, end = None, time.monotonic() + PATIENCE
    while welcome is None and time.monotonic() < end:
        again = server.client()
        try:
            welcome = again.hello()
        except (Closed, BrokenPipeError, ConnectionResetError):
            time.sleep(0.05)  # the server has not seen all of them leave yet
        again.close()
    check("and may come when others have left", welcome)


def own_file(folder):
    path = os.path.join(folder, "mine.json")
    part = os.path.join(folder, "part.json")

    def save(text, target=path):
        with open(target + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(target + "~", target)  # as editors do

    def scene(radius, name="ball", include=', "include": "part.json"'):
        return json.dumps({"sinew": 1, "bodies": [{"name": name, "shape": {"type": "sphere", "radius": radius}}]})[:-1] + include + "}"

    save('{"sinew": 1, "gravity": [0, 0, -1]}', part)
    save(scene(0.1))
    env = {"XDG_RUNTIME_DIR": folder}
    os.chmod(folder, 0o700)
    server = Server(path, env=env)
    client = server.client()
    welcome = client.hello()
    check("a file of one's own is the first scene", welcome["scenes"][0]["name"] == "mine.json" and welcome["scenes"][0]["own"] and
          not any("own" in listed for listed in welcome["scenes"][1:]), welcome["scenes"][0])
    check("a file of one's own is opened", client.text("scene")["name"] == "mine.json")
    while client.picture()[2] < 30:
        pass
    save(scene(0.2))
    second = client.text("scene")
    check("it is read again on save, and goes on", second["keeps"] and second["generation"] == 2)
    check("where it was", client.picture()[2] >= 30)
    save('{"sinew": 1, "gravity": [0, 0, -2]}', part)
    third = client.text("scene")
    check("so is what it includes", third["keeps"] and third["gravity"] == [0, 0, -2], third["gravity"])
    save(scene(0.2).replace('"radius"', '"radios"'))
    error = client.text("error")
    check("a mistake has its place in the page", error["place"].startswith(path + ":1:"), error)
    check("and in the terminal", server.logged(path + ":1:"))
    check("the world is paused", not client.text("status")["playing"])
    steps = client.picture()[2]
    save(scene(0.2))
    check("mended it plays on, as before", client.text("scene")["keeps"] and client.until(
        lambda m: isinstance(m, dict) and m["is"] == "status" and m["playing"]))
    client.say(do="open", scene="pendulum")
    check("another scene can be opened", client.text("scene")["name"] == "pendulum")
    save(scene(0.2))
    back = client.text("scene")
    check("saving the file brings it back", back["name"] == "mine.json" and server.logged("mine.json read again"))
    client.say(do="open", scene="pendulum")
    client.text("scene")
    client.say(do="open", scene="mine.json")
    check("and so does its name", client.text("scene")["source"] == path)
    save(scene(0.2, name="other"))
    last = client.text("scene")
    check("other bodies start anew", not last["keeps"] and last["bodies"][0]["name"] == "other" and steps >= 30)
    # After a restart on the same port the page's cookie still holds; the token in the address does not.
    cookie = server.cookie
    check("Ctrl-C ends it cleanly", server.end() == 0)
    again = Server(path, port=server.port, env=env)
    page = Client(again.port, origin=f"http://127.0.0.1:{again.port}", cookie=cookie)
    check("a page finds back after a restart", page.status == 101 and page.hello())
    old = again.client(token=server.token, cookie=None)
    check("the old address does not let in", old.status != 101 and again.token != server.token)
    mode = os.stat(os.path.join(folder, f"sinew-view-{again.port}")).st_mode & 0o777
    check("the session is kept for the user alone", mode == 0o600, oct(mode))
    check("and ends with clients connected", again.end() == 0)


def waiting(folder):
    """The clock starts when the first page shows a picture, and with --run at once."""
    path = os.path.join(folder, "falls.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}]}')
    server = Server(path)
    check("the terminal says that it waits", server.logged("waiting for a page"))
    page = server.client()
    page.say(do="hello", protocol=1, loading=True)
    page.text("scene")
    first = page.picture()
    time.sleep(0.3)
    page.say(do="ping", t=1)
    page.text("pong")
    page.say(do="show", contacts=True)  # so that there is another frame
    check("while a page loads time stands", first[2] == 0 and page.picture()[2] == 0, first)
    page.say(do="ready")
    check("then it goes", page.until(lambda m: isinstance(m, bytes) and m[:4] == b"\2\0\0\0" and int.from_bytes(m[16:24], "little") > 5))
    check("and the terminal says so", server.logged("the clock runs"))
    server.end()
    server = Server("--run", path)
    time.sleep(0.4)
    page = server.client()
    page.say(do="hello", protocol=1, loading=True)
    page.text("scene")
    check("with --run it has gone before", page.picture()[2] > 5 and not any("waiting" in line for line in server.log), server.log)
    server.end()


def typos(folder):
    """What cannot be meant fails at once, with a suggestion."""
    with open(os.path.join(folder, "falls.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    os.makedirs(os.path.join(folder, "empty"), exist_ok=True)
    for arguments, code, words in (
            (["pendulumm"], 3, "did you mean 'pendulum'?"), (["fals.json"], 3, "did you mean 'falls.json'?"),
            (["falls.jsn"], 3, "did you mean 'falls.json'?"), (["falls"], 3, "did you mean 'falls.json'?"),
            (["./flals.json"], 3, "did you mean './falls.json'?"), (["empty/x.json"], 3, "there is no file 'empty/x.json'"),
            (["empty/pendulm.json"], 3, "did you mean the built-in scene 'pendulum'?"), (["nowhere/x.json"], 3, "there is no file"),
            (["empty"], 3, "is a folder"), (["--rnu"], 2, "did you mean --run?"), (["--no-opne"], 2, "did you mean --no-open?"),
            (["--prot", "1"], 2, "did you mean --port?"), (["falls.json", "more"], 2, "one too many")):
        ended = subprocess.run([sinew, "view", *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=folder)
        check(f"'view {' '.join(arguments)}' fails at once", ended.returncode == code and words in ended.stderr and ended.stdout == "", ended)


def broken_file(folder):
    path = os.path.join(folder, "broken.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"sinew": 1, "bodies": [')
    server = Server(path)
    client = server.client()
    client.hello()
    error = client.text("error")
    check("a broken file is told to who comes", error["place"].startswith(path + ":1:"), error)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}]}')
    check("and opened once it is mended", client.text("scene")["bodies"][0]["name"] == "a")
    check("then plays", client.picture()[3] & 1 or client.picture()[3] & 1)
    server.end()


def is_open(stream):
    """Has the other side not closed it?"""
    stream.setblocking(False)
    try:
        return stream.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def half_sent(server):
    """Requests that are never finished do not keep others from being served."""
    halves = []
    for _ in range(300):
        halves.append(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
        halves[-1].sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
    status, _, _ = request(server.port, "/", {"Cookie": server.cookie, "Accept-Encoding": "gzip"})
    still = sum(is_open(half) for half in halves)
    check("the page is served while 300 requests are half sent", status == 200 and still > 200, (status, still))
    for half in halves:
        half.close()


def long_steps(folder):
    """A step that takes minutes: whoever asks is answered, and the server ends when it is told to."""
    path = os.path.join(folder, "hang.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"sinew": 1, "bodies": [{"name": "b", "shape": {"type": "box", "size": [1, 2, 3]}, "angular_velocity": [1e9, 0, 1]}], '
                   '"run": {"policy": "precise", "step": 0.01}}')
    server = Server(path)
    client = server.client()
    client.hello()
    client.say(do="play")
    client.say(do="ping", t=7)
    check("a long step gives way to messages", client.text("pong")["t"] == 7)
    error = client.text("error")
    check("and ends with a reason", "has taken 1000000 steps" in error["text"] and error["while"] == "step", error)
    client.say(do="play")
    code = server.end()
    check("the server ends within it", code == 0, (code, server.log[-8:]))


def main():
    server = Server()
    refusals(server)
    half_sent(server)
    # A client that stops reading: the others must not notice, and it is dropped after a while.
    stuck = server.client(buffer=4096)
    stuck.hello()
    stuck.say(do="watch", probes=[{"quantity": "energy.total"}] * 256)  # large frames fill what the system keeps for it
    messages(server)
    crowd(server)
    with tempfile.TemporaryDirectory() as folder:
        own_file(folder)
        broken_file(folder)
        long_steps(folder)
        waiting(folder)
        typos(folder)
    check("a client that takes nothing is dropped", server.logged("has taken nothing"))
    port_taken = subprocess.run([sinew, "view", "--no-open", "--port", str(server.port)], capture_output=True, text=True,
                                timeout=PATIENCE, check=False)
    check("a port that is taken is told", port_taken.returncode == 5 and "cannot listen" in port_taken.stderr, port_taken)
    check("the server ends", server.end() == 0)
    stuck.close()
    if failed:
        print("\n".join(server.log[-30:]))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sinew = os.path.realpath(sys.argv[1])
    sys.exit(main())
