import HearthModel
import HearthRules
import Testing

/// Rule sets as applications have them, each for one purpose.
struct GuideTests {
    @Test func `only who is signed in may read`() throws {
        let spec = try RulesSpec("match /{all=**} { allow read: if request.auth != null; }")
        #expect(spec.get("rooms/hall").isAllowed)
        #expect(!spec.get("rooms/hall", by: nil).isAllowed)
        #expect(!spec.create("rooms/hall", [:]).isAllowed)
    }

    @Test func `only the owner may change a document, and may not give it away`() throws {
        var spec = try RulesSpec(
            """
            match /notes/{note} {
              allow create: if request.resource.data.owner == request.auth.uid;
              allow read, delete: if isOwner();
              allow update: if isOwner() && isUnchanged('owner');
            }
            function isOwner() { return resource.data.owner == request.auth.uid; }
            function isUnchanged(field) {
              return !request.resource.data.diff(resource.data).affectedKeys().hasAny([field]);
            }
            """)
        spec.put("notes/a", ["owner": .string("alice"), "text": .string("old")])
        #expect(spec.create("notes/b", ["owner": .string("alice")]).isAllowed)
        #expect(!spec.create("notes/b", ["owner": .string("bob")]).isAllowed)
        #expect(spec.get("notes/a").isAllowed)
        #expect(!spec.get("notes/a", by: "bob").isAllowed)
        #expect(!spec.get("notes/a", by: nil).isAllowed)
        #expect(
            spec.update("notes/a", ["owner": .string("alice"), "text": .string("new")]).isAllowed)
        #expect(!spec.update("notes/a", ["owner": .string("bob")]).isAllowed)
        #expect(spec.delete("notes/a").isAllowed)
        #expect(!spec.delete("notes/a", by: "bob").isAllowed)
    }

    @Test func `roles are read from the user's own document`() throws {
        var spec = try RulesSpec(
            """
            function user() {
              return get(/databases/$(database)/documents/users/$(request.auth.uid)).data;
            }
            match /articles/{article} {
              allow write: if user().role in ['editor', 'admin'];
              allow read: if user().role != null || resource.data.isPublic == true;
            }
            """)
        spec.put("users/alice", ["role": .string("editor")])
        spec.put("users/bob", ["role": .string("reader")])
        spec.put("articles/a", ["isPublic": .boolean(true)])
        #expect(spec.create("articles/b", [:]).isAllowed)
        #expect(!spec.create("articles/b", [:], by: "bob").isAllowed)
        #expect(!spec.create("articles/b", [:], by: "carol").isAllowed)
        #expect(spec.get("articles/a", by: "carol").isAllowed)
        #expect(spec.get("articles/a", by: nil).isAllowed)
        #expect(!spec.get("articles/missing", by: "carol").isAllowed)
    }

    @Test func `fields are checked for their names, types and ranges`() throws {
        let spec = try RulesSpec(
            """
            match /products/{id} {
              allow create: if isProduct(request.resource.data);
            }
            function isProduct(data) {
              let required = ['name', 'price', 'tags'];
              let optional = ['note'];
              return data.keys().hasAll(required) && data.keys().hasOnly(required.concat(optional))
                && data.name is string && data.name.size() > 0 && data.name.size() <= 20
                && data.name.matches('[A-Z][a-z ]*')
                && data.price is number && data.price > 0
                && data.tags is list && data.tags.hasOnly(['new', 'used'])
                && (!('note' in data) || data.note is string);
            }
            """)
        let good: MapValue = [
            "name": .string("Lamp"), "price": .double(9.5), "tags": .array([.string("new")]),
        ]
        #expect(spec.create("products/a", good).isAllowed)
        for (field, value) in [
            ("name", Value.string("")), ("name", .string("lamp")), ("name", .integer(1)),
            ("price", .integer(0)), ("price", .string("9")), ("tags", .array([.string("old")])),
            ("note", .integer(1)), ("other", .null),
        ] {
            var bad = good
            bad[field] = value
            #expect(!spec.create("products/a", bad).isAllowed, "\(field) \(value)")
        }
    }

    @Test func `a user may write once in a while`() throws {
        var spec = try RulesSpec(
            """
            match /posts/{post} {
              allow update: if request.resource.data.at == request.time
                && request.time > resource.data.at + duration.value(5, 's');
            }
            """)
        let past = Timestamp(seconds: spec.time.seconds - 6, nanoseconds: 0)
        spec.put("posts/a", ["at": .timestamp(past)])
        #expect(spec.update("posts/a", ["at": .timestamp(spec.time)]).isAllowed)
        #expect(!spec.update("posts/a", ["at": .timestamp(past)]).isAllowed)
        spec.time = Timestamp(seconds: past.seconds + 5, nanoseconds: 0)
        #expect(!spec.update("posts/a", ["at": .timestamp(spec.time)]).isAllowed)
    }

    @Test func `members of a room read and write its messages`() throws {
        var spec = try RulesSpec(
            """
            match /rooms/{room} {
              function isMember() {
                return request.auth.uid in get(/databases/$(database)/documents/rooms/$(room))
                  .data.members;
              }
              allow read: if request.auth.uid in resource.data.members;
              match /messages/{message} {
                allow read: if isMember();
                allow create: if isMember() && request.resource.data.from == request.auth.uid;
              }
            }
            """)
        spec.put("rooms/hall", ["members": .array([.string("alice"), .string("bob")])])
        #expect(spec.get("rooms/hall").isAllowed)
        #expect(!spec.get("rooms/hall", by: "carol").isAllowed)
        #expect(spec.create("rooms/hall/messages/1", ["from": .string("bob")], by: "bob").isAllowed)
        #expect(!spec.create("rooms/hall/messages/1", ["from": .string("bob")]).isAllowed)
        #expect(!spec.get("rooms/hall/messages/1", by: "carol").isAllowed)
        #expect(try spec.list("rooms/hall/messages").isAllowed)
        #expect(try !spec.list("rooms/hall/messages", by: "carol").isAllowed)
        let isMember = FieldFilter(
            field: FieldPath(["members"]), op: .arrayContains, value: .string("alice"))
        #expect(try spec.list("rooms", isMember).isAllowed)
        #expect(try !spec.list("rooms", isMember, by: "bob").isAllowed)
        #expect(try !spec.list("rooms").isAllowed)
    }

    @Test func `claims of a token give rights`() throws {
        let spec = try RulesSpec(
            "match /{all=**} { allow write: if request.auth.token.admin == true; "
                + "allow get: if request.auth.token.level >= 3; }")
        #expect(spec.get("a/b", ["level": .integer(3)]).isAllowed)
        #expect(!spec.get("a/b", ["level": .integer(2)]).isAllowed)
        #expect(!spec.get("a/b").isAllowed)
    }

    @Test func `two documents must be written together`() throws {
        var spec = try RulesSpec(
            """
            match /cities/{city} {
              allow write: if getAfter(/databases/$(database)/documents/countries/$(
                request.resource.data.country)).data.changed == request.time;
            }
            """)
        let country = RulesSpec.key("countries/se")
        #expect(!spec.create("cities/a", ["country": .string("se")]).isAllowed)
        spec.documents.after[country] = .found(
            country, at: .zero, ["changed": .timestamp(spec.time)])
        #expect(spec.create("cities/a", ["country": .string("se")]).isAllowed)
    }

    @Test func `a wildcard of several segments includes none in version 2, and not in version 1`()
        throws
    {
        let body = "match /a/{b}/{rest=**} { allow read; }"
        #expect(try RulesSpec(body).get("a/x").isAllowed)
        #expect(try RulesSpec(body).get("a/x/c/d").isAllowed)
        #expect(try !RulesSpec(body, version: "1").get("a/x").isAllowed)
        #expect(try RulesSpec(body, version: "1").get("a/x/c/d").isAllowed)
        #expect(throws: RulesError.self) {
            try RulesSpec("match /{path=**}/c/{d} { allow read; }", version: "1")
        }
    }

    @Test func `a group is listed only by a rule that reaches all of it`() throws {
        #expect(
            try RulesSpec("match /{path=**}/posts/{post} { allow read; }")
                .list("", group: "posts").isAllowed)
        #expect(
            try !RulesSpec("match /posts/{post} { allow read; }")
                .list("", group: "posts").isAllowed)
        #expect(
            try RulesSpec("match /users/{user}/{all=**} { allow list: if user == 'alice'; }")
                .list("users/alice", group: "posts").isAllowed)
    }

    @Test func `a query may be limited`() throws {
        let spec = try RulesSpec("match /a/{b} { allow list: if request.query.limit <= 10; }")
        #expect(try spec.list("a", limit: 10).isAllowed)
        #expect(try !spec.list("a", limit: 11).isAllowed)
        #expect(try !spec.list("a").isAllowed)
    }
}
