import HearthModel
import HearthTesting
import Testing

/// Every step and every expectation that stories are known to use is read to its last member, and
/// what is not known is refused aloud wherever it stands.
struct StoryVocabularyTests {
    private static let query =
        #"{"path": "rooms", "collectionGroup": "x", "limit": 1, "limitType": "LimitToFirst", "#
        + #""filters": [["a", "==", 1]], "orderBys": [["a", "asc"]]}"#
    private static let document =
        #"{"key": "rooms/a", "version": 1, "createTime": 0, "value": {}, "#
        + #""options": {"hasLocalMutations": false, "hasCommittedMutations": false}}"#
    private static let error = #"{"code": 14, "message": "no"}"#

    static let steps = [
        #""userListen": {"targetId": 2, "query": \#(query), "options": "#
            + #"{"includeMetadataChanges": true, "source": "default", "#
            + #""waitForSyncWhenOnline": false}}"#,
        #""userUnlisten": [2, \#(query)]"#, #""userSet": ["rooms/a", {}]"#,
        #""userPatch": ["rooms/a", {"x.y": 1}]"#, #""userDelete": "rooms/a""#,
        #""addSnapshotsInSyncListener": true"#, #""removeSnapshotsInSyncListener": true"#,
        #""loadBundle": "text""#, #""watchAck": [2]"#, #""watchReset": [2]"#,
        #""watchCurrent": [[2], "t"]"#, #""watchRemove": {"targetIds": [2], "cause": \#(error)}"#,
        #""watchEntity": {"docs": [\#(document)], "targets": [2], "removedTargets": [4]}"#,
        #""watchEntity": {"doc": \#(document), "targets": [2]}"#,
        #""watchEntity": {"key": "rooms/a", "removedTargets": [2]}"#,
        #""watchFilter": {"targetIds": [2], "keys": ["rooms/a"], "bloomFilter": "#
            + #"{"bits": {"bitmap": "AQ==", "padding": 1}, "hashCount": 1}}"#,
        #""watchSnapshot": {"version": 1, "targetIds": [2], "resumeToken": "t"}"#,
        #""watchStreamClose": {"error": \#(error), "runBackoffTimer": true}"#,
        #""writeAck": {"version": 1, "keepInQueue": true}"#,
        #""failWrite": {"error": \#(error), "keepInQueue": false}"#,
        #""waitForPendingWrites": true"#, #""drainQueue": true"#, #""restart": true"#,
        #""shutdown": true"#, #""clearPersistence": true"#, #""runTimer": "all""#,
        #""enableNetwork": false"#, #""changeUser": null"#, #""changeUser": "ann""#,
        #""failDatabase": ["Allocate target"]"#, #""failDatabase": false"#, #""triggerLruGC": 1"#,
        #""clientIndex": 0, "drainQueue": true"#, #""watchUsesTargetIndex": 0, "watchAck": [2]"#,
        #""applyClientState": {"visibility": "hidden", "primary": true}"#,
        #""setIndexConfiguration": {"indexes": [{"collectionGroup": "rooms", "#
            + #""queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}]}]}"#,
    ]
    static let expectations = [
        #""expectedSnapshotEvents": [{"query": \#(query), "errorCode": 0, "fromCache": true, "#
            + #""hasPendingWrites": false, "added": [\#(document)], "modified": [\#(document)], "#
            + #""removed": [\#(document)], "metadata": [\#(document)]}]"#,
        #""expectedSnapshotsInSyncEvents": 1"#, #""expectedWaitForPendingWritesEvents": 1"#,
    ]
    static let states = [
        #""numOutstandingWrites": 1"#, #""writeStreamRequestCount": 1"#,
        #""watchStreamRequestCount": 1"#, #""activeLimboDocs": ["rooms/a"]"#,
        #""enqueuedLimboDocs": ["rooms/a"]"#,
        #""activeTargets": {"2": {"queries": [\#(query)], "resumeToken": "t", "readTime": 1, "#
            + #""targetPurpose": "TargetPurposeListen", "expectedCount": 1}}"#,
        #""userCallbacks": {"acknowledgedDocs": ["rooms/a"], "rejectedDocs": ["rooms/a"]}"#,
        #""isPrimary": true"#, #""numActiveClients": 1"#, #""isShutdown": false"#,
        #""indexes": [{"collectionGroup": "rooms", "indexId": -1, "fields": [{"kind": 0, "#
            + #""fieldPath": {"segments": ["a"], "offset": 0, "len": 1}}], "indexState": "#
            + #"{"sequenceNumber": 0, "offset": {"documentKey": 0, "readTime": 0, "#
            + #""largestBatchId": -1}}}]"#,
    ]
    /// What is no part of the form: contents of documents, and of members that the SDKs keep for
    /// themselves.
    private static let contents: Set<String> = [
        "value", "userSet", "userPatch", "documentKey", "readTime",
    ]

    private static func story(ofSteps steps: [JSONValue]) -> JSONValue {
        let label = JSONValue.string("x")
        return .object([
            .init(name: "describeName", value: label), .init(name: "itName", value: label),
            .init(name: "comment", value: label), .init(name: "tags", value: .array([label])),
            .init(
                name: "config",
                value: .object([
                    .init(name: "numClients", value: .integer(1)),
                    .init(name: "useEagerGCForMemory", value: .boolean(true)),
                    .init(name: "maxConcurrentLimboResolutions", value: .integer(1)),
                ])), .init(name: "steps", value: .array(steps)),
        ])
    }

    private static func read(_ story: JSONValue) throws {
        let file = JSONValue.object([.init(name: "A", value: story)])
        for (_, story) in try StoryReader().read(JSONWriter.bytes(of: file), file: "test") {
            _ = try story.get()
        }
    }

    /// The same text with one more member in an object: one variant for each object.
    private static func extended(_ json: JSONValue) -> [JSONValue] {
        switch json {
        case .null, .boolean, .integer, .double, .string: return []
        case .array(let elements):
            return elements.indices.flatMap { index in
                extended(elements[index]).map { changed in
                    var copy = elements
                    copy[index] = changed
                    return .array(copy)
                }
            }
        case .object(let members):
            let here = JSONValue.object(members + [.init(name: "miracle", value: .integer(1))])
            return [here]
                + members.indices.filter { !contents.contains(members[$0].name) }.flatMap { index in
                    extended(members[index].value).map { changed -> JSONValue in
                        var copy = members
                        copy[index] = .init(name: members[index].name, value: changed)
                        return .object(copy)
                    }
                }
        }
    }

    @Test(
        arguments: steps.map { "{\($0)}" } + expectations.map { #"{"drainQueue": true, \#($0)}"# }
            + states.map { #"{"drainQueue": true, "expectedState": {\#($0)}}"# })
    func `what stories say is read, and nothing unknown beside it is passed over`(
        step: String
    ) throws {
        let story = Self.story(ofSteps: [try JSONReader.read(Array(step.utf8))])
        #expect(throws: Never.self) { try Self.read(story) }
        for wrong in Self.extended(story) {
            #expect(
                throws: StoryError.self,
                "\(String(decoding: JSONWriter.bytes(of: wrong), as: UTF8.self))"
            ) {
                try Self.read(wrong)
            }
        }
    }

    @Test(arguments: [
        #""userListen": {"targetId": 2, "query": {"path": "rooms", "orderBys": [["a", "up"]]}}"#,
        #""userListen": {"targetId": 2, "query": {"path": "rooms", "limitType": "Most"}}"#,
        #""userListen": {"targetId": 2, "query": {"path": "rooms"}, "options": {"source": "x"}}"#,
        #""userPatch": ["rooms/a", 1]"#, #""changeUser": 1"#, #""failDatabase": true"#,
        #""failDatabase": [1]"#, #""watchCurrent": [[2], 1]"#,
        #""watchEntity": {"targets": [2]}"#,
        #""watchEntity": {"key": "rooms/a", "docs": [], "targets": [2]}"#,
        #""watchFilter": {"targetIds": [2], "keys": [1]}"#, #""runTimer": "tea_time""#,
        #""clientIndex": 1, "drainQueue": true"#, #""applyClientState": {"primary": false}"#,
        #""applyClientState": {"visibility": "blurred"}"#,
        #""setIndexConfiguration": {"indexes": [{"collectionGroup": "rooms"}]}"#,
        #""drainQueue": true, "expectedSnapshotEvents": [{"query": "rooms", "errorCode": 99}]"#,
        #""drainQueue": true, "expectedState": {"activeTargets": {"2": {"queries": []}}}"#,
        #""drainQueue": true, "expectedState": {"activeTargets": {"2": {"queries": "#
            + #"["rooms", "halls"]}}}"#,
        #""drainQueue": true, "expectedState": {"activeLimboDocs": [1]}"#,
    ])
    func `a step whose sense is not known is refused`(step: String) throws {
        let story = Self.story(ofSteps: [try JSONReader.read(Array("{\(step)}".utf8))])
        #expect(throws: StoryError.self) { try Self.read(story) }
    }

    @Test func `several clients without the tag that says so are refused`() {
        func file(tags: String) -> [UInt8] {
            Array(#"{"A": {"tags": [\#(tags)], "config": {"numClients": 2}, "steps": []}}"#.utf8)
        }
        #expect(throws: StoryError.self) {
            _ = try StoryReader().read(file(tags: ""), file: "test").first?.story.get()
        }
        #expect(throws: Never.self) {
            _ = try StoryReader().read(file(tags: #""multi-client""#), file: "test").first?.story
                .get()
        }
    }
}
