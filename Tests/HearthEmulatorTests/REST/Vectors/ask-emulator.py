#!/usr/bin/env python3
"""Asks Google's emulator and ours what the table of REST requests asks, and writes down the answers.

    ask-emulator.py TABLE GOOGLE OURS      GOOGLE and OURS are HOST:PORT

Each entry of the table keeps Google's answer in `google`, and ours in `ours` where it differs. An
entry that differs has a `reason`, written by hand. Times, names that the server made and ids are
replaced by what they are.
"""
import http.client
import json
import re
import sys

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
KEPT = ("transaction", "nextPageToken")
TIMES = ("createTime", "updateTime", "readTime", "commitTime", "executionTime")
# Results of transforms are times of the server; others are a client's, and told as they were written.
RESULT_TIMES = TIMES + ("timestampValue",)
HEADERS = ("content-type", "access-control-allow-origin", "access-control-allow-headers")


def plain(value, kept, times=TIMES):
    """What was answered, without what differs each time."""
    if isinstance(value, list):
        return [plain(element, kept, times) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, member in value.items():
        if name in times and isinstance(member, str) and TIME.match(member):
            result[name] = "(time)"
        elif name in KEPT and isinstance(member, str):
            kept[name] = member
            result[name] = f"({name})"
        elif name == "name" and isinstance(member, str):
            result[name] = re.sub(r"/auto/[A-Za-z0-9]{20}$", "/auto/(id)", member)
        elif name == "message" and isinstance(member, str):
            result[name] = re.sub(r"stored version \(\d+\)", "stored version (time)", member)
        else:
            inner = RESULT_TIMES if name == "transformResults" else times
            result[name] = plain(member, kept, inner)
    return result


def ask(address, entry, kept):
    def filled(text):
        for name, value in kept.items():
            text = text.replace(f"${name}", value)
        return text

    headers = dict(entry.get("headers", {}))
    headers["content-type"] = "application/json"
    if "authorization" in entry:
        headers["authorization"] = entry["authorization"]
    connection = http.client.HTTPConnection(*address.split(":"), timeout=5)
    body = filled(entry.get("body", "")).encode()
    connection.request(entry["verb"], filled(entry["path"]), body, headers)
    try:
        response = connection.getresponse()
    except TimeoutError:
        return {"silent": True}
    bytes = response.read()
    connection.close()
    answer = {"status": response.status}
    try:
        answer["json"] = plain(json.loads(bytes), kept)
    except ValueError:
        answer["text"] = bytes.decode()
    for name in HEADERS:
        # Only what is JSON must say so.
        if response.getheader(name) and (name != "content-type" or "json" in answer):
            answer[name] = response.getheader(name).split(";")[0]
    return answer


def main():
    path, google, ours = sys.argv[1:]
    with open(path) as file:
        table = json.load(file)
    kept = {google: {}, ours: {}}
    for entry in table:
        entry.pop("ours", None)
        entry["google"] = ask(google, entry, kept[google])
        answer = ask(ours, entry, kept[ours])
        if answer != entry["google"]:
            entry["ours"] = answer
        if ("ours" in entry) != ("reason" in entry):
            print(json.dumps(entry, indent=1, ensure_ascii=False))
    with open(path, "w") as file:
        json.dump(table, file, indent=1, ensure_ascii=False, sort_keys=True)
        file.write("\n")


main()
