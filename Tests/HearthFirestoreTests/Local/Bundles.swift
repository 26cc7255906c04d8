import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import HearthTesting
import Testing

/// Every bundle of the folder that `HEARTH_BUNDLE_DIR` names: read, checked against the manifest if
/// there is one, and loaded. Prints a line for each file.
@Suite(.serialized)
struct Bundles {
    private static let folder = Judges.variable("HEARTH_BUNDLE_DIR")
    private static let files = folder.map { Judges.files(in: $0, ending: ".bundle") } ?? []

    @Test(.enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"))
    func `there are bundles in the folder`() {
        #expect(!Self.files.isEmpty)
    }

    @Test(
        .enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"),
        arguments: files)
    func `a bundle is taken whole, or refused whole`(file: String) throws {
        let faults = try Self.faults(of: file)
        print("\(file): \(faults.isEmpty ? 1 : 0) passed, \(faults.isEmpty ? 0 : 1) failed")
        for fault in faults { Issue.record("\(file): \(fault)") }
    }

    private static func faults(of file: String) throws -> [String] {
        let folder = try #require(folder)
        let bytes = try #require(Judges.bytes(of: "\(folder)/\(file)"), "\(file) cannot be opened")
        let expected = expectation(of: file, in: folder)
        let mustFail = expected.map { $0["metadata"] == nil } ?? file.hasPrefix("9")
        let bundle: Bundle
        do {
            bundle = try BundleReader.read(bytes, database: database(of: bytes))
        } catch {
            return mustFail ? [] : ["it is refused: \(error)"]
        }
        if mustFail { return ["it is broken, and is taken"] }
        var faults = try load(bundle)
        let total = expected?["metadata"]?["totalDocuments"]?.integer
        if let total, total != Int64(bundle.entries.count) {
            faults.append("it has \(bundle.entries.count) documents instead of \(total)")
        }
        return faults
    }

    private static func expectation(of file: String, in folder: String) -> JSONValue? {
        guard let bytes = Judges.bytes(of: "\(folder)/manifest.json"),
            let manifest = try? JSONReader.read(bytes)
        else { return nil }
        return manifest[file]
    }

    /// The project that the bundle's first name is of.
    private static func database(of bytes: [UInt8]) -> DatabaseID {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\"").first { $0.hasPrefix("projects/") }?
            .split(separator: "/")
        guard let parts, parts.count > 3 else { return DatabaseID(project: "demo-bundles") }
        return DatabaseID(project: String(parts[1]))
    }

    /// Loads it into an engine, which must then have every document and every query.
    private static func load(_ bundle: Bundle) throws -> [String] {
        var bench = try EngineBench()
        try bench.take(.setNetwork(isEnabled: false))
        let id = RequestID(session: 1, number: 1)
        try bench.take(.loadBundle(id, bundle))
        while bench.actions.contains(.schedule(.bundles, after: .zero)) {
            try bench.take(.timerFired(.bundles))
        }
        var faults: [String] = []
        for entry in bundle.entries {
            let key = entry.document.key
            let cached = try bench.read { try $0.remoteDocument(key) }
            if cached != entry.document { faults.append("\(key) is not in the cache") }
        }
        for query in bundle.namedQueries {
            let actions = try bench.take(.getNamedQuery(id, query.name))
            if actions != [.found(id, query)] { faults.append("\(query.name) is not known") }
        }
        return faults
    }
}
