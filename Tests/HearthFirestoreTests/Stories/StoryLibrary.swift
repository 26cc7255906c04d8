import HearthFirestore
import HearthTestSupport
import HearthTesting
import Synchronization
import Testing

/// The stories of the folder `HEARTH_SPEC_DIR` and of its subfolders, and the course of their
/// telling.
///
/// `HEARTH_STORY` picks those with a text in their name.
struct StoryLibrary: Sendable {
    /// One story of one file.
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let name: String
        let story: Result<Story, StoryError>

        var testDescription: String { "\(file): \(name)" }

        /// Why the story's tags forbid telling the story to a single engine; `nil` if they do not.
        var reasonToSkip: String? {
            guard case .success(let story) = story else { return nil }
            return story.reasonToSkip
        }
    }

    /// The folder, if there is one.
    static let folder = Judges.variable("HEARTH_SPEC_DIR")

    /// All stories that are asked for.
    static let entries = read()

    private static func read() -> [Entry] {
        guard let folder else { return [] }
        let wanted = Judges.variable("HEARTH_STORY") ?? ""
        return Judges.files(in: folder, ending: ".json").flatMap { file -> [Entry] in
            entries(of: file, in: folder).filter { wanted.isEmpty || $0.name.contains(wanted) }
        }
    }

    private static func entries(of file: String, in folder: String) -> [Entry] {
        guard let bytes = Judges.bytes(of: "\(folder)/\(file)") else {
            return [unreadable(file, StoryError(place: file, reason: "it cannot be opened"))]
        }
        do {
            return try StoryReader().read(bytes, file: file).map {
                Entry(file: file, name: $0.name, story: $0.story)
            }
        } catch {
            return [unreadable(file, error)]
        }
    }

    private static func unreadable(_ file: String, _ error: StoryError) -> Entry {
        Entry(file: file, name: "(the file)", story: .failure(error))
    }
}

/// Counts how the stories of each file end, and prints a file's line when its last has ended.
final class StoryTally: Sendable {
    private struct File {
        var left = 0
        var passed = 0
        var skipped = 0
        var failed: [String] = []
    }

    static let shared = StoryTally(StoryLibrary.entries)

    private let files: Mutex<[String: File]>

    private init(_ entries: [StoryLibrary.Entry]) {
        var files: [String: File] = [:]
        for entry in entries { files[entry.file, default: File()].left += 1 }
        self.files = Mutex(files)
    }

    /// A story of a file has ended.
    func count(_ entry: StoryLibrary.Entry, passed: Bool) {
        end(entry) { file in
            if passed { file.passed += 1 } else { file.failed.append(entry.name) }
        }
    }

    /// A story of a file cannot be told.
    func skip(_ entry: StoryLibrary.Entry) {
        end(entry) { $0.skipped += 1 }
    }

    private func end(_ entry: StoryLibrary.Entry, _ change: (inout sending File) -> Void) {
        let line: String? = files.withLock { files in
            guard var file = files[entry.file] else { return nil }
            change(&file)
            file.left -= 1
            files[entry.file] = file
            guard file.left == 0 else { return nil }
            let skipped = file.skipped == 0 ? "" : " (\(file.skipped) skipped by tags)"
            let head = "\(entry.file): \(file.passed) passed, \(file.failed.count) failed\(skipped)"
            return ([head] + file.failed.sorted().map { "    failed: \($0)" })
                .joined(separator: "\n")
        }
        if let line { print(line) }
    }
}
