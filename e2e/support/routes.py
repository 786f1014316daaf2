"""The routes of the memory server as `agent-memory-server openapi` prints them, and a request of each by its examples."""
import json
import subprocess
import urllib.parse

import programs

METHODS = ("get", "put", "post", "patch", "delete")


def document():
    return json.loads(subprocess.run([programs.binary("agent-memory-server"), "openapi"], capture_output=True, check=True, timeout=60).stdout)


def operations(told=None):
    """→ {operationId: (method, path, operation)}, in the order of the paths."""
    return {one["operationId"]: (method.upper(), path, one)
            for path, methods in (told or document())["paths"].items() for method, one in methods.items() if method in METHODS}


def filled(value, rows):
    """The value with each $name in its strings replaced by what `rows` has for it."""
    if isinstance(value, dict):
        return {name: filled(each, rows) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, rows) for each in value]
    for name, row in rows.items():
        value = value.replace(name, str(row)) if isinstance(value, str) else value
    return value


def request(operation, rows):
    """→ (method, target, body or None) of the operation's examples, about these rows: {"$observation": "7", …}."""
    method, path, one = operation
    query = {}
    for parameter in one.get("parameters", ()):
        if "example" not in parameter:
            continue
        text = parameter["example"]
        text = str(filled(parameter.get("x-stands-for", text if isinstance(text, str) else json.dumps(text)), rows))
        if parameter["in"] == "path":
            path = path.replace("{" + parameter["name"] + "}", urllib.parse.quote(text, safe=""))
        elif parameter["in"] == "query":
            query[parameter["name"]] = text
    body = one.get("requestBody", {}).get("content", {}).get("application/json")
    return (method, path + ("?" + urllib.parse.urlencode(query) if query else ""),
            None if body is None else filled(body.get("x-stands-for", body["example"]), rows))
