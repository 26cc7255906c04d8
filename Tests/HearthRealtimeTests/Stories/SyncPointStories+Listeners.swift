import HearthModel
import Testing

/// Stories in the judges' form about what the judges' stories lack: listeners that go, callbacks that
/// listen more than once, and several listeners of one place.
extension SyncPointStories {
    @Test(arguments: ["", "foo/bar/baz"])
    func `listeners that come, share and go hear what these stories tell`(base: String) throws {
        let path = try #require(RealtimePath(base))
        let stories = try #require(JSONReader.read(Array(Self.listenerStories.utf8)).elements)
        #expect(stories.count == 7)
        for story in stories {
            if let failure = SyncPointFailure(playing: story, at: path) {
                Issue.record("\(failure)")
            }
        }
    }

    @Test(arguments: ["", "foo/bar/baz"])
    func `a story that is not as it was told, or cannot be read, fails by its name`(
        base: String
    ) throws {
        let path = try #require(RealtimePath(base))
        let stories = try #require(JSONReader.read(Array(Self.wrongStories.utf8)).elements)
        let failures = stories.compactMap { SyncPointFailure(playing: $0, at: path) }
        #expect(failures.map(\.name) == ["Another value", "No events", "An odd step"])
        #expect(failures.allSatisfy { $0.faults.count == 1 })
        #expect(failures.first?.description.contains("Another value, step 2") == true)
    }

    private static let wrongStories = #"""
        [{
          "name": "Another value",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "", "data": 1, "events": [
              {"path": "", "type": "value", "data": 2}]}
          ]
        }, {
          "name": "No events",
          "steps": [
            {"type": "listen", "path": "a", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "a", "data": 1, "events": []}
          ]
        }, {
          "name": "An odd step",
          "steps": [{"type": "dance", "path": "", "events": []}]
        }, {
          "name": "Right",
          "steps": [{"type": "listen", "path": "", "callbackId": 1, "events": []}]
        }]
        """#

    private static let listenerStories = #"""
        [{
          "name": "Each listener of a query hears a change, until it goes",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "", "data": {"a": 1}, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "value", "data": {"a": 1}}]},
            {"type": "listen", "path": "", "callbackId": 2, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "value", "data": {"a": 1}}]},
            {"type": "serverUpdate", "path": "a", "data": 2, "events": [
              {"path": "", "type": "child_changed", "name": "a", "prevName": null, "data": 2},
              {"path": "", "type": "value", "data": {"a": 2}},
              {"path": "", "type": "child_changed", "name": "a", "prevName": null, "data": 2},
              {"path": "", "type": "value", "data": {"a": 2}}]},
            {"type": "unlisten", "path": "", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "a", "data": 3, "events": [
              {"path": "", "type": "child_changed", "name": "a", "prevName": null, "data": 3},
              {"path": "", "type": "value", "data": {"a": 3}}]},
            {"type": "unlisten", "path": "", "callbackId": 2, "events": []},
            {".comment": "What comes late is for nobody, and is not known to whoever comes next",
             "type": "serverUpdate", "path": "a", "data": 4, "events": []},
            {"type": "listen", "path": "", "callbackId": 3, "events": []}
          ]
        }, {
          "name": "A callback at two places goes from one, and hears of the other",
          "steps": [
            {"type": "listen", "path": "a", "callbackId": 1, "events": []},
            {"type": "listen", "path": "b", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "a", "data": {"x": 1}, "events": [
              {"path": "a", "type": "child_added", "name": "x", "prevName": null, "data": 1},
              {"path": "a", "type": "value", "data": {"x": 1}}]},
            {"type": "serverUpdate", "path": "b", "data": 2, "events": [
              {"path": "b", "type": "value", "data": 2}]},
            {"type": "unlisten", "path": "a", "callbackId": 1, "events": []},
            {"type": "set", "path": "a/x", "data": 5, "events": []},
            {"type": "set", "path": "b", "data": 6, "events": [
              {"path": "b", "type": "value", "data": 6}]},
            {"type": "serverUpdate", "path": "b", "data": 6, "events": []},
            {"type": "ackUserWrite", "writeId": 0, "events": []},
            {"type": "ackUserWrite", "writeId": 1, "events": []}
          ]
        }, {
          "name": "A callback with two queries of a place goes from one of them",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1,
             "params": {"tag": 1, "orderByKey": true, "limitToFirst": 1}, "events": []},
            {"type": "listen", "path": "", "callbackId": 1,
             "params": {"tag": 2, "orderByKey": true, "limitToLast": 1}, "events": []},
            {"type": "serverUpdate", "path": "", "tag": 1, "data": {"a": 1}, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "value", "data": {"a": 1}}]},
            {"type": "serverUpdate", "path": "", "tag": 2, "data": {"c": 3}, "events": [
              {"path": "", "type": "child_added", "name": "c", "prevName": null, "data": 3},
              {"path": "", "type": "value", "data": {"c": 3}}]},
            {"type": "unlisten", "path": "", "callbackId": 1,
             "params": {"tag": 1, "orderByKey": true, "limitToFirst": 1}, "events": []},
            {"type": "set", "path": "d", "data": 4, "events": [
              {"path": "", "type": "child_removed", "name": "c", "data": 3},
              {"path": "", "type": "child_added", "name": "d", "prevName": null, "data": 4},
              {"path": "", "type": "value", "data": {"d": 4}}]}
          ]
        }, {
          "name": "A callback that names no query goes from all queries of a place",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1,
             "params": {"tag": 1, "orderByKey": true, "limitToFirst": 1}, "events": []},
            {"type": "listen", "path": "", "callbackId": 1,
             "params": {"tag": 2, "orderByKey": true, "limitToLast": 1}, "events": []},
            {"type": "serverUpdate", "path": "", "tag": 2, "data": {"c": 3}, "events": [
              {"path": "", "type": "child_added", "name": "c", "prevName": null, "data": 3},
              {"path": "", "type": "value", "data": {"c": 3}}]},
            {"type": "unlisten", "path": "", "callbackId": 1, "events": []},
            {"type": "set", "path": "d", "data": 4, "events": []}
          ]
        }, {
          "name": "A listener below goes on by itself when the listener above goes",
          "steps": [
            {"type": "listen", "path": "a", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "a", "data": {"b": {"c": 1}}, "events": [
              {"path": "a", "type": "child_added", "name": "b", "prevName": null, "data": {"c": 1}},
              {"path": "a", "type": "value", "data": {"b": {"c": 1}}}]},
            {"type": "listen", "path": "a/b", "callbackId": 2, "events": [
              {"path": "a/b", "type": "child_added", "name": "c", "prevName": null, "data": 1},
              {"path": "a/b", "type": "value", "data": {"c": 1}}]},
            {"type": "unlisten", "path": "a", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "a/b", "data": {"c": 2}, "events": [
              {"path": "a/b", "type": "child_changed", "name": "c", "prevName": null, "data": 2},
              {"path": "a/b", "type": "value", "data": {"c": 2}}]},
            {"type": "serverUpdate", "path": "a/d", "data": 5, "events": []}
          ]
        }, {
          "name": "Only who still listens hears that a write is taken back",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "", "data": {"a": 1}, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "value", "data": {"a": 1}}]},
            {"type": "set", "path": "a", "data": 2, "events": [
              {"path": "", "type": "child_changed", "name": "a", "prevName": null, "data": 2},
              {"path": "", "type": "value", "data": {"a": 2}}]},
            {"type": "listen", "path": "", "callbackId": 2, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 2},
              {"path": "", "type": "value", "data": {"a": 2}}]},
            {"type": "unlisten", "path": "", "callbackId": 1, "events": []},
            {"type": "ackUserWrite", "writeId": 0, "revert": true, "events": [
              {"path": "", "type": "child_changed", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "value", "data": {"a": 1}}]}
          ]
        }, {
          "name": "The whole of a place and a part of it are heard, each by who asked, until one goes",
          "steps": [
            {"type": "listen", "path": "", "callbackId": 1, "events": []},
            {"type": "serverUpdate", "path": "", "data": {"a": 1, "b": 2}, "events": [
              {"path": "", "type": "child_added", "name": "a", "prevName": null, "data": 1},
              {"path": "", "type": "child_added", "name": "b", "prevName": "a", "data": 2},
              {"path": "", "type": "value", "data": {"a": 1, "b": 2}}]},
            {"type": "listen", "path": "", "callbackId": 2,
             "params": {"tag": 1, "orderByKey": true, "limitToLast": 1}, "events": [
              {"path": "", "type": "child_added", "name": "b", "prevName": null, "data": 2},
              {"path": "", "type": "value", "data": {"b": 2}}]},
            {"type": "set", "path": "c", "data": 3, "events": [
              {"path": "", "type": "child_added", "name": "c", "prevName": "b", "data": 3},
              {"path": "", "type": "value", "data": {"a": 1, "b": 2, "c": 3}},
              {"path": "", "type": "child_removed", "name": "b", "data": 2},
              {"path": "", "type": "child_added", "name": "c", "prevName": null, "data": 3},
              {"path": "", "type": "value", "data": {"c": 3}}]},
            {"type": "unlisten", "path": "", "callbackId": 1, "events": []},
            {"type": "set", "path": "d", "data": 4, "events": [
              {"path": "", "type": "child_removed", "name": "c", "data": 3},
              {"path": "", "type": "child_added", "name": "d", "prevName": null, "data": 4},
              {"path": "", "type": "value", "data": {"d": 4}}]}
          ]
        }]
        """#
}
