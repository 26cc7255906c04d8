import HearthFirestore
import HearthModel
import HearthTesting
import Testing

struct StoryReaderTests {
    private func read(_ steps: String, config: String = "{}") throws -> Story {
        let text =
            #"{"A": {"describeName": "d", "itName": "i", "tags": [], "config": \#(config), "#
            + #""steps": [\#(steps)]}}"#
        let stories = try StoryReader().read(Array(text.utf8), file: "test")
        return try #require(stories.first).story.get()
    }

    @Test(
        .enabled(
            if: StoryLibrary.folder != nil, "HEARTH_SPEC_DIR names no folder of stories"))
    func `every story of the folder can be read to its last member`() {
        for entry in StoryLibrary.entries {
            #expect(throws: Never.self, "\(entry)") { try entry.story.get() }
        }
    }

    @Test func `a member that nobody knows is refused with its place`() throws {
        #expect {
            try read(#"{"drainQueue": true, "expectedMiracles": 1}"#)
        } throws: { error in
            "\(error)".contains("A, step 0")
        }
    }

    @Test func `a step in which two things happen is refused`() throws {
        #expect(throws: StoryError.self) { try read(#"{"drainQueue": true, "restart": true}"#) }
    }

    @Test func `a listen names its target, query and options`() throws {
        let story = try read(
            #"{"userListen": {"targetId": 2, "query": {"path": "rooms", "limit": 3, "#
                + #""limitType": "LimitToLast", "filters": [["a", ">=", 1.5]], "#
                + #""orderBys": [["a", "desc"]]}, "options": {"source": "cache"}}}"#)
        guard case .userListen(let target, let query, let options) = story.steps[0].action else {
            Issue.record("not a listen")
            return
        }
        var expected = Query(path: try ResourcePath(parsing: "rooms"))
        expected.filters = [.field(FieldPath(["a"]), .greaterThanOrEqual, .double(1.5))]
        expected.explicitOrderBys = [OrderBy(FieldPath(["a"]), .descending)]
        expected.limit = .init(3, .last)
        #expect(target == TargetID(2))
        #expect(query == expected)
        #expect(options == ListenOptions(includeMetadataChanges: true, isCacheOnly: true))
    }

    @Test(
        arguments: [
            (#""bitmap": "CA==", "padding": 4}, "hashCount": 1"#, true),
            (#""bitmap": "INVALID_BASE_64", "padding": 4}, "hashCount": 1"#, false),
            (#""bitmap": "CA", "padding": 4}, "hashCount": 1"#, false),
            (#""bitmap": "-A==", "padding": 4}, "hashCount": 1"#, false),
            (#""bitmap": "", "padding": 0}, "hashCount": 0"#, false),
            (#""bitmap": "", "padding": 1}, "hashCount": 1"#, false),
            (#""bitmap": "CA==", "padding": 4}, "hashCount": 0"#, false),
            (#""bitmap": "CA==", "padding": 4}, "hashCount": -1"#, false),
            (#""bitmap": "CA==", "padding": 8}, "hashCount": 1"#, false),
            (#""bitmap": "CA==", "padding": -1}, "hashCount": 1"#, false),
            (#""padding": 4}, "hashCount": 1"#, false),
        ])
    func `a Bloom filter that cannot be one counts as none`(members: String, isOne: Bool) throws {
        let story = try read(
            #"{"watchFilter": {"targetIds": [2], "keys": ["rooms/a"], "bloomFilter": "#
                + #"{"bits": {\#(members)}}}"#)
        guard case .watchFilter(_, 1, let filter) = story.steps[0].action else {
            Issue.record("not a filter of one document")
            return
        }
        #expect((filter != nil) == isOne)
    }

    @Test func `a patch deletes what it marks and needs the document`() throws {
        let story = try read(#"{"userPatch": ["rooms/a", {"x.y": 1, "z": "<DELETE>"}]}"#)
        guard case .userWrite(let mutation) = story.steps[0].action else {
            Issue.record("not a write")
            return
        }
        let fields = MapValue([("x", .map(MapValue([("y", .integer(1))])))])
        let mask = FieldMask([FieldPath(["x", "y"]), FieldPath(["z"])])
        #expect(mutation.kind == .patch(fields, mask))
        #expect(mutation.precondition == .exists(true))
    }

    @Test func `versions are counted in microseconds`() throws {
        let story = try read(#"{"writeAck": {"version": 1500000}}"#)
        guard case .writeAck(let version, let keepsInQueue) = story.steps[0].action else {
            Issue.record("not an answer")
            return
        }
        #expect(version.timestamp == Timestamp(seconds: 1, nanoseconds: 500_000_000))
        #expect(!keepsInQueue)
    }

    @Test func `an expected document with local writes has no version`() throws {
        let story = try read(
            #"{"drainQueue": true, "expectedSnapshotEvents": [{"query": {"path": "rooms"}, "#
                + #""added": [{"key": "rooms/a", "version": 7, "value": {"x": 1}, "#
                + #""options": {"hasLocalMutations": true}}]}]}"#)
        let change = try #require(story.steps[0].expected.events.first?.changes.first)
        #expect(change.document.version == .zero)
        #expect(change.document.hasLocalMutations)
    }

    @Test func `a target that resumes has a token, or else a time`() throws {
        let story = try read(
            #"{"drainQueue": true, "expectedState": {"activeTargets": {"#
                + #""2": {"queries": [{"path": "a"}], "resumeToken": "t"}, "#
                + #""4": {"queries": [{"path": "b"}], "resumeToken": "", "readTime": 400}, "#
                + #""1": {"queries": [{"path": "a/x"}], "resumeToken": "", "#
                + #""targetPurpose": "TargetPurposeLimboResolution"}}}}"#)
        let targets = try #require(story.steps[0].expected.activeTargets)
        let token = try #require(ResumeToken(Array("t".utf8)))
        let time = SnapshotVersion(Timestamp(microseconds: 400))
        #expect(targets[TargetID(2)]?.resumePoint == .token(token))
        #expect(targets[TargetID(4)]?.resumePoint == .readTime(time))
        #expect(targets[TargetID(1)]?.resumePoint == .start)
        #expect(targets[TargetID(1)]?.purpose == .limboResolution)
    }

    @Test func `limbo lookups are unlimited unless the story says otherwise`() throws {
        let free = try read(#"{"drainQueue": true}"#)
        #expect(free.configuration.limboResolutionCountMax == nil)
        let bound = try read(
            #"{"drainQueue": true}"#, config: #"{"maxConcurrentLimboResolutions": 2}"#)
        #expect(bound.configuration.limboResolutionCountMax == 2)
    }
}
