import Testing

/// The forms of the library's calls for which nobody waits.
struct CompletionTests {
    @Test func `no completion has a default, which would be a form that waits for nothing`() throws
    {
        let files = try SourceTree.swiftFiles(below: "Sources/Flame/Hearth/")
        #expect(files.count > 50)
        for file in files {
            for line in file.lines where line.contains("completion:") {
                #expect(!line.contains("= nil"), "\(file.path): \(line)")
            }
        }
    }

    @Test func `every form that waits for nothing is kept from code that can wait`() throws {
        let lines = try SourceTree.file(
            "Sources/Flame/Hearth/Firestore/Firestore+WithoutWaiting.swift"
        )
        .lines
        let forms = lines.count { $0.contains("public func") }
        #expect(forms > 10)
        #expect(lines.count { $0.contains("*, noasync,") } == forms)
    }
}
