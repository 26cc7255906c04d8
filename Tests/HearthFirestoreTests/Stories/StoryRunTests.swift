import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A runner that sees nothing would pass every story, so the runner must be seen to fail.
struct StoryRunTests {
    private static let query = #"{"path": "rooms", "filters": [], "orderBys": []}"#
    private static let hall = #"{"key": "rooms/hall", "version": 1000, "value": {"size": 3}}"#
    private static let watched =
        #""activeTargets": {"2": {"queries": [\#(query)], "resumeToken": ""}}"#

    private static let listen =
        #"{"userListen": {"targetId": 2, "query": \#(query)}, "expectedState": {\#(watched)}}"#
    private static let answer = [
        #"{"watchAck": [2]}"#,
        #"{"watchEntity": {"docs": [\#(hall)], "targets": [2]}}"#,
        #"{"watchCurrent": [[2], "r1"]}"#,
    ]
    private static let snapshot = #"{"watchSnapshot": {"version": 1000, "targetIds": []}"#
    private static let event =
        #"{"query": \#(query), "added": [\#(hall)], "errorCode": 0, "fromCache": false, "#
        + #""hasPendingWrites": false}"#

    private func tell(
        _ steps: [String], on backing: StoryBacking = .memory
    ) throws(StoryRun.Failure) {
        let text = #"{"A": {"tags": [], "steps": [\#(steps.joined(separator: ", "))]}}"#
        let story: Story
        do {
            let stories = try StoryReader().read(Array(text.utf8), file: "test")
            story = try #require(stories.first).story.get()
        } catch {
            Issue.record("\(error)")
            return
        }
        try StoryRun.tell(story, on: backing)
    }

    private func step(
        ofFailureIn steps: [String], on backing: StoryBacking = .memory
    ) -> Int? {
        do {
            try tell(steps, on: backing)
            return nil
        } catch {
            return error.step
        }
    }

    private func ending(_ rest: String) -> [String] {
        [Self.listen] + Self.answer + ["\(Self.snapshot)\(rest)}"]
    }

    @Test func `a story that comes true is told to its end`() throws {
        try tell(ending(#", "expectedSnapshotEvents": [\#(Self.event)]"#))
    }

    @Test func `an event that nobody expects fails the step`() {
        #expect(step(ofFailureIn: ending("")) == 4)
    }

    @Test(arguments: [
        (#""size": 3"#, #""size": 4"#), (#""size": 3"#, #""size": 3.0"#),
        (#""version": 1000"#, #""version": 1001"#), ("rooms/hall", "rooms/attic"),
        (#""fromCache": false"#, #""fromCache": true"#),
        (#""hasPendingWrites": false"#, #""hasPendingWrites": true"#),
        (#""added""#, #""modified""#), (#""errorCode": 0"#, #""errorCode": 7"#),
        (#""path": "rooms""#, #""path": "halls""#),
    ])
    func `an event that comes otherwise fails the step`(part: String, other: String) {
        let event = Self.replacing(part, by: other, in: Self.event)
        #expect(event != Self.event)
        #expect(step(ofFailureIn: ending(#", "expectedSnapshotEvents": [\#(event)]"#)) == 4)
    }

    @Test func `an event that does not come fails the step`() {
        let two = #", "expectedSnapshotEvents": [\#(Self.event), \#(Self.event)]"#
        #expect(step(ofFailureIn: ending(two)) == 4)
    }

    @Test(arguments: [
        #""expectedSnapshotsInSyncEvents": 1"#, #""expectedWaitForPendingWritesEvents": 1"#,
        #""expectedState": {"userCallbacks": {"acknowledgedDocs": ["rooms/a"]}}"#,
        #""expectedState": {"userCallbacks": {"rejectedDocs": ["rooms/a"]}}"#,
        #""expectedState": {"numOutstandingWrites": 1}"#,
        #""expectedState": {"writeStreamRequestCount": 1}"#,
        #""expectedState": {"watchStreamRequestCount": 2}"#,
        #""expectedState": {"isShutdown": true}"#, #""expectedState": {"isPrimary": false}"#,
        #""expectedState": {"numActiveClients": 2}"#,
        #""expectedState": {"indexes": [{"collectionGroup": "rooms", "fields": [{"kind": 0, "#
            + #""fieldPath": {"segments": ["size"], "offset": 0, "len": 1}}]}]}"#,
        #""expectedState": {"activeLimboDocs": ["rooms/a"]}"#,
        #""expectedState": {"enqueuedLimboDocs": ["rooms/a"]}"#,
        #""expectedState": {"activeTargets": {}}"#,
        #""expectedState": {"activeTargets": {"4": {"queries": [{"path": "rooms"}]}}}"#,
        #""expectedState": {"activeTargets": {"2": {"queries": [{"path": "halls"}]}}}"#,
        #""expectedState": {"activeTargets": {"2": {"queries": [{"path": "rooms"}], "#
            + #""resumeToken": "r0"}}}"#,
        #""expectedState": {"activeTargets": {"2": {"queries": [{"path": "rooms"}], "#
            + #""targetPurpose": "TargetPurposeLimboResolution"}}}"#,
    ])
    func `a state that is otherwise fails the step`(state: String) {
        let steps = [Self.listen, #"{"drainQueue": true, \#(state)}"#]
        #expect(step(ofFailureIn: steps, on: .sqlite()) == 1)
    }

    @Test func `what is watched stays expected until a step says otherwise`() {
        let gone = [Self.listen, #"{"userUnlisten": [2, \#(Self.query)]}"#]
        #expect(step(ofFailureIn: gone) == 1)
    }

    @Test func `a listen with another target than the story's fails the step`() {
        let listen = Self.replacing(#""targetId": 2"#, by: #""targetId": 4"#, in: Self.listen)
        #expect(step(ofFailureIn: [listen]) == 0)
    }

    @Test func `an answer to a write that was not sent fails the step`() {
        #expect(step(ofFailureIn: [#"{"writeAck": {"version": 1}}"#]) == 0)
        let offline = [
            #"{"enableNetwork": false}"#, #"{"userSet": ["rooms/a", {}]}"#,
            #"{"writeAck": {"version": 1}}"#,
        ]
        #expect(step(ofFailureIn: offline) == 2)
    }

    @Test func `each user's writes are answered in the user's own order`() throws {
        func answer(_ version: Int, _ path: String) -> String {
            #"{"writeAck": {"version": \#(version)}, "expectedState": {"userCallbacks": "#
                + #"{"acknowledgedDocs": ["\#(path)"]}}}"#
        }
        try tell([
            #"{"changeUser": "ann"}"#, #"{"userSet": ["rooms/a", {}]}"#,
            #"{"changeUser": "bob"}"#, #"{"userSet": ["rooms/b", {}]}"#, answer(1, "rooms/b"),
            #"{"changeUser": "ann"}"#, answer(2, "rooms/a"),
        ])
    }

    @Test func `an acknowledgement that the story does not list fails the step`() {
        let steps = [#"{"userSet": ["rooms/a", {}]}"#, #"{"writeAck": {"version": 1}}"#]
        #expect(step(ofFailureIn: steps) == 1)
    }

    @Test func `a message on a stream that is not open fails the step`() {
        #expect(step(ofFailureIn: [#"{"watchAck": [2]}"#]) == 0)
    }

    @Test func `indexes that are made are expected, and one with another kind is not`() throws {
        func steps(kind: Int) -> [String] {
            let index =
                #"{"collectionGroup": "rooms", "fields": [{"kind": \#(kind), "#
                + #""fieldPath": {"segments": ["x", "size"], "offset": 1, "len": 1}}]}"#
            let made =
                #"{"collectionGroup": "rooms", "queryScope": "COLLECTION", "#
                + #""fields": [{"fieldPath": "size", "order": "DESCENDING"}]}"#
            return [
                #"{"setIndexConfiguration": {"indexes": [\#(made)]}, "#
                    + #""expectedState": {"indexes": [\#(index)], "isPrimary": true, "#
                    + #""numActiveClients": 1}}"#
            ]
        }
        try tell(steps(kind: 1), on: .sqlite())
        #expect(step(ofFailureIn: steps(kind: 0), on: .sqlite()) == 0)
        #expect(step(ofFailureIn: [#"{"setIndexConfiguration": {"indexes": []}}"#]) == nil)
    }

    @Test func `a client that is seen, hidden or made primary works on as before`() throws {
        try tell([
            Self.listen, #"{"applyClientState": {"visibility": "hidden"}}"#,
            #"{"clientIndex": 0, "applyClientState": {"primary": true}}"#,
        ])
    }

    @Test func `a timer that does not run fails the step that wants it`() {
        #expect(step(ofFailureIn: [#"{"runTimer": "listen_stream_idle"}"#]) == 0)
    }

    @Test(arguments: ["listen_stream_connection_backoff", "write_stream_connection_backoff"])
    func `a stream's wait that the driver has ended already fails no step`(timer: String) {
        #expect(step(ofFailureIn: [Self.listen, #"{"runTimer": "\#(timer)"}"#]) == nil)
    }

    @Test func `a story is told where its tags allow`() throws {
        func story(_ tags: [String]) -> Story {
            Story(name: "A", tags: tags, configuration: .init(), steps: [])
        }
        #expect(story([]).canRun(onDurable: true) && story([]).canRun(onDurable: false))
        #expect(!story(["eager-gc"]).canRun(onDurable: true))
        #expect(!story(["durable-persistence"]).canRun(onDurable: false))
        #expect(!story(["multi-client"]).canRun(onDurable: true))
        #expect(story(["multi-client"]).reasonToSkip != nil)
        #expect(story(["eager-gc", "durable-persistence"]).reasonToSkip != nil)
        #expect(story(["eager-gc", "no-ios", "no-web"]).reasonToSkip == nil)
    }

    private static func replacing(_ part: String, by other: String, in text: String) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if rest.starts(with: part.utf8) {
                result += other.utf8
                rest = rest.dropFirst(part.utf8.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
