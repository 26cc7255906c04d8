import HearthFirestore
import HearthTesting
import Testing

/// Google's stories, told to the engine on every store that their tags allow.
@Suite(.serialized)
struct FirestoreStories {
    @Test(
        .enabled(
            if: StoryLibrary.folder != nil, "HEARTH_SPEC_DIR names no folder of stories"))
    func `there are stories in the folder`() {
        #expect(!StoryLibrary.entries.isEmpty)
    }

    @Test(
        .enabled(
            if: StoryLibrary.folder != nil, "HEARTH_SPEC_DIR names no folder of stories"),
        arguments: StoryLibrary.entries)
    func `the engine plays its part in a story`(entry: StoryLibrary.Entry) throws {
        if let reason = entry.reasonToSkip {
            StoryTally.shared.skip(entry)
            try Test.cancel("\(reason)")
        }
        let failures = Self.failures(of: entry)
        StoryTally.shared.count(entry, passed: failures.isEmpty)
        guard let gap = KnownGaps.reasons[entry.name] else {
            for failure in failures { Issue.record("\(failure)") }
            return
        }
        withKnownIssue("\(gap)") {
            for failure in failures { Issue.record("\(failure)") }
        }
    }

    private static func failures(of entry: StoryLibrary.Entry) -> [String] {
        let story: Story
        switch entry.story {
        case .failure(let error): return ["\(error)"]
        case .success(let read): story = read
        }
        var failures = StoryBacking.all.compactMap { failure(of: story, on: $0) }
        if let failure = failure(
            of: story, on: .keptMemory(), surveys: .tiny, bundleSlices: .tiny)
        {
            failures.append("with surveys and slices, \(failure)")
        }
        return failures
    }

    private static func failure(
        of story: Story, on backing: StoryBacking, surveys: SurveyTerms? = nil,
        bundleSlices: BundleSlices = BundleSlices()
    ) -> String? {
        guard story.canRun(onDurable: backing.isDurable) else { return nil }
        do {
            try StoryRun.tell(story, on: backing, surveys: surveys, bundleSlices: bundleSlices)
            return nil
        } catch {
            return "on \(backing.name), \(error)"
        }
    }
}
