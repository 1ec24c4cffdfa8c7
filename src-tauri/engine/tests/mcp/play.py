"""Plays a start: [[second, "spawn" | "stderr TEXT" | "stdout TEXT" | "initialize ok" | "still alive" | "exit N"], ...],
each second as long as the second argument says. A third one says what a call does: answer, die, or tell its environment."""
import json
import os
import sys
import time

events, second = json.loads(sys.argv[1]), float(sys.argv[2])
mode = sys.argv[3] if len(sys.argv) > 3 else "answer"


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def serve():
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        method, result = asked["method"], {}
        if method == "initialize":
            version = asked["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "play", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call" and mode == "die":
            sys.stderr.write("dying in mid-call\n")
            sys.stderr.flush()
            os._exit(7)
        elif method == "tools/call" and mode == "env":
            text = json.dumps([f"{name}={value}" for name, value in os.environ.items()])
            result = {"content": [{"type": "text", "text": text}]}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": "ok"}]}
        say({"jsonrpc": "2.0", "id": asked["id"], "result": result})


begun = time.monotonic()
for at, what in events:
    time.sleep(max(0, begun + at * second - time.monotonic()))
    word, _, text = what.partition(" ")
    if word == "stderr":
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    elif word == "stdout":
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    elif word == "exit":
        os._exit(int(text))
    elif word == "initialize":
        serve()
        sys.exit(0)
time.sleep(600)
