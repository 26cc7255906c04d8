"""An emulator with rules and data, whose own console a browser has entered."""

import base64
import http.client
import json
from urllib.parse import quote

DB = "demo/(default)"
RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function isAnn() { return request.auth.uid == 'ann'; }
    match /rooms/{room} {
      allow read: if true;
      allow write: if request.auth != null && isAnn();
    }
    match /secrets/{secret} {
      allow read: if resource.data.owner == request.auth.uid || request.auth.token.admin == true;
    }
  }
}
"""


class EmulatorStage:
    """The emulator, and the browser that has entered its console."""

    def __init__(self, stage):
        self.browser = stage.browser
        self.port, entry, self.address = stage.site.watched_emulator(RULES)
        self.entry = entry.removeprefix("file://")
        stage.own.append(self.address)
        for name, seats in (("attic", 4), ("hall", 40), ("library", 12)):
            self.write(f"rooms/{name}", {"name": {"stringValue": name.title()}, "seats": {"integerValue": str(seats)}}, "owner")
        self.write("secrets/one", {"owner": {"stringValue": "ann"}}, "owner")
        status, _ = self.call("PUT", "/rooms/hall.json?ns=demo-default-rtdb", {"name": "Hall", "seats": 40}, "owner")
        assert status == 200, status
        self.browser.open(entry)
        self.browser.see('.tabs a[href="#/requests"]')

    def begin(self):
        """Has the browser where every check of the emulator begins."""
        self.browser.open(self.address + "/")
        self.browser.see('[role="treeitem"]')

    def data(self, path="", **more):
        """The address of a place in the data, behind the #."""
        return place("data", {"db": DB, "path": path, **more})

    def rules(self, **more):
        """The address of the rules, behind the #."""
        return place("rules", {"db": DB, **more})

    def tree_rules(self, **more):
        """The address of the rules of the tree, behind the #."""
        return place("rules", {"db": "demo-default-rtdb", **more})

    def call(self, method, path, body=None, who=None):
        """A request of a program: of the owner, of a user by an unsigned token, or of nobody."""
        headers = {"Content-Type": "application/json"}
        if who:
            headers["Authorization"] = "Bearer " + ("owner" if who == "owner" else token(who))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def write(self, path, fields, who):
        """Sets fields of a document. Returns the status."""
        masks = "&".join(f"updateMask.fieldPaths={name}" for name in fields)
        return self.call("PATCH", f"/v1/projects/demo/databases/(default)/documents/{path}?{masks}", {"fields": fields}, who)[0]

    def document(self, path):
        """The fields of a document, as the owner sees them; nothing if it is not there."""
        status, answer = self.call("GET", f"/v1/projects/demo/databases/(default)/documents/{path}", None, "owner")
        return answer.get("fields", {}) if status == 200 else None


def token(user):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return f"{part({'alg': 'none'})}.{part({'sub': user})}."


def place(section, parameters):
    return f"#/{section}?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value)
