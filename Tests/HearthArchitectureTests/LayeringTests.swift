import Testing

/// What each target may import. Stone imports stone; the table is ARCHITECTURE.md's picture.
enum Layering {
    /// Values, codecs and engines: no input or output is reachable from them.
    static let stone: Set<String> = [
        "HearthModel", "HearthProtocol", "HearthWire", "HearthEngine", "HearthFirestore",
        "HearthRealtime", "HearthRules", "HearthBackend",
    ]

    private static let collections: Set<String> = ["HashTreeCollections"]
    private static let nio: Set<String> = ["NIOCore", "NIOPosix"]
    private static let http: Set<String> = ["NIOHTTP1", "NIOHTTP2", "NIOHPACK"]
    /// HTTP/1.1, TLS and RSA, for tokens.
    private static let web: Set<String> = ["NIOHTTP1", "NIOSSL", "CryptoExtras"]
    /// Locks, queues and system calls.
    private static let system: Set<String> = ["Synchronization", "Dispatch", "Glibc"]

    /// Packages and targets that each target may import.
    static let allowed: [String: Set<String>] = [
        "HearthModel": collections,
        "HearthProtocol": ["HearthModel", "SwiftProtobuf"],
        "HearthWire": ["HearthEngine", "HearthModel", "HearthProtocol", "SwiftProtobuf"],
        "HearthEngine": collections.union(["HearthModel"]),
        "HearthFirestore": collections.union(["HearthEngine", "HearthModel"]),
        "HearthRealtime": collections.union(["HearthEngine", "HearthModel"]),
        "HearthRules": ["HearthModel"],
        "HearthBackend": collections.union(["HearthRules", "HearthModel"]),
        "HearthThreads": ["NIOCore", "Synchronization"],
        "HearthSQLite": system.union(["HearthEngine", "HearthModel", "CSQLite", "CLinux"]),
        "HearthStore": collections.union([
            "HearthSQLite", "HearthFirestore", "HearthRealtime", "HearthEngine", "HearthProtocol",
            "HearthModel",
        ]),
        "HearthRemote": nio.union(web).union([
            "Synchronization", "Glibc", "HearthRPC", "HearthProtocol", "HearthFirestore",
            "HearthRealtime", "HearthEngine", "HearthModel", "CLinux", "SwiftProtobuf",
            "NIOWebSocket",
        ]),
        "HearthRPC": http.union([
            "HearthThreads", "HearthModel", "CZlib", "Logging", "NIOCore", "Synchronization",
        ]),
        "HearthEmulator": system.union(nio).union([
            "NIOHTTP1", "NIOWebSocket",
            "HearthRPC", "HearthThreads", "HearthBackend", "HearthRules", "HearthSQLite",
            "HearthEngine", "HearthProtocol", "HearthModel",
            "CLinux", "SwiftProtobuf", "Logging",
        ]),
        "HearthServer": system.union(nio).union([
            "HearthFirestore", "HearthRealtime", "HearthEngine", "HearthStore", "HearthSQLite",
            "HearthThreads", "HearthWire", "HearthProtocol", "HearthModel",
            "CSystemd", "CLinux", "Logging",
        ]),
        "HearthGateway": [
            "HearthServer", "HearthRPC", "HearthThreads", "HearthFirestore", "HearthBackend",
            "HearthEngine", "HearthProtocol", "HearthWire", "HearthModel", "SwiftProtobuf",
            "Logging", "NIOCore",
            "Dispatch", "Synchronization",
        ],
        "Hearth": system.union([
            "HearthWire", "HearthEngine", "HearthProtocol", "HearthModel", "CLinux",
        ]),
        "HearthTesting": [
            "HearthFirestore", "HearthRealtime", "HearthEngine", "HearthBackend", "HearthModel",
        ],
        "HearthDaemon": system.union([
            "HearthServer", "HearthGateway", "HearthSQLite", "HearthRemote", "HearthEmulator",
            "HearthFirestore", "HearthRealtime",
            "HearthEngine",
            "HearthRules", "HearthBackend", "HearthWire", "HearthModel",
            "HearthCLI", "HearthConsole", "CLinux", "ArgumentParser", "Logging",
        ]),
        "HearthConsole": system.union(nio).union([
            "NIOHTTP1", "Hearth", "HearthRPC", "HearthModel", "CPage", "CLinux", "Logging",
        ]),
        "HearthCLI": [
            "Synchronization", "Glibc", "Hearth", "HearthConsole", "CLinux", "ArgumentParser",
        ],
        "HearthProgram": ["HearthCLI"],
        // A program like any other: it sees what everybody sees.
        "Demo": ["Hearth", "Glibc"],
    ]

    /// The only files written by hand that may import FoundationEssentials: `Data`, in which
    /// SwiftProtobuf hands over bytes, and `Date`, which programs expect of a library. Where
    /// FoundationEssentials is not a module of its own, they fall back on Foundation.
    static let mayImportFoundationEssentials: Set<String> = [
        "Sources/Flame/Hearth/Codable/DecodingStrategies.swift",
        "Sources/Flame/Hearth/Codable/EncodingStrategies.swift",
        "Sources/Flame/Hearth/Codable/Firestore+Decoder.swift",
        "Sources/Flame/Hearth/Codable/Firestore+Encoder.swift",
        "Sources/Flame/Hearth/Coding/ValueEncoder.swift",
        "Sources/Flame/Hearth/Firestore/WriteExpiry.swift",
        "Sources/Flame/Hearth/Values/Timestamp.swift",
        "Sources/Flame/HearthEmulator/Firestore/FirestoreService+Queries.swift",
        "Sources/Flame/HearthEmulator/Firestore/FirestoreService+Reads.swift",
        "Sources/Flame/HearthEmulator/Firestore/FirestoreService+Writes.swift",
        "Sources/Flame/HearthEmulator/Firestore/WriteCall.swift",
        "Sources/Flame/HearthGateway/Calls/WriteStreamCall.swift",
        "Sources/Flame/HearthEmulator/Requests/RequestReader+Reads.swift",
        "Sources/Flame/HearthGateway/Forwarding/ConsistentRead.swift",
        "Sources/Flame/HearthGateway/Forwarding/ForwardedRequest.swift",
        "Sources/Flame/HearthGateway/Forwarding/ProtoCommitRequest+Forwarding.swift",
        "Sources/Flame/HearthGateway/Listen/ListenCall.swift",
        "Sources/Stone/HearthProtocol/Firestore/ProtoBytes.swift",
        "Sources/Stone/HearthWire/Coding/FirestoreCodec+WireBytes.swift",
    ]

    /// What generators add, and the listed files.
    static let foundation: Set<String> = ["Foundation", "FoundationEssentials"]
}

struct LayeringTests {
    @Test func `every target with Swift in it is in the table`() throws {
        let targets = try SourceTree.paths()
            .filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
            .compactMap { $0.split(separator: "/").dropFirst(2).first.map(String.init) }
        #expect(Set(targets) == Set(Layering.allowed.keys).subtracting(["HearthTesting"]))
    }

    @Test(arguments: Layering.allowed.keys.sorted())
    func `a target imports only what the table allows`(target: String) throws {
        let allowed = try #require(Layering.allowed[target])
        for file in try SourceTree.swiftFiles(of: target) {
            for (number, module) in file.imports where !allowed.contains(module) {
                let isListed = Layering.mayImportFoundationEssentials.contains(file.path)
                if file.isGenerated || isListed, Layering.foundation.contains(module) { continue }
                Issue.record("\(file.path):\(number) imports \(module)")
            }
        }
    }

    @Test func `only listed files import Foundation's essentials, and all of them do`() throws {
        let users = try SourceTree.swiftFiles(below: "Sources/").filter { file in
            !file.isGenerated && file.imports.contains { Layering.foundation.contains($0.module) }
        }
        #expect(Set(users.map(\.path)) == Layering.mayImportFoundationEssentials)
    }

    @Test(arguments: Layering.stone.sorted())
    func `stone imports neither flame nor the system`(target: String) throws {
        let allowed = try #require(Layering.allowed[target])
        let flame = Set(Layering.allowed.keys).subtracting(Layering.stone)
        let moving = flame.union([
            "Synchronization", "Dispatch", "Glibc", "CSQLite", "CSystemd", "CLinux", "NIOCore",
            "GRPCCore", "Logging",
        ])
        #expect(allowed.isDisjoint(with: moving))
    }

    @Test func `engines do not know codecs, nor each other`() {
        let engines: [String: Set<String>] = [
            "HearthEngine": ["HearthModel"], "HearthFirestore": ["HearthModel", "HearthEngine"],
            "HearthRealtime": ["HearthEngine", "HearthModel"], "HearthRules": ["HearthModel"],
            "HearthBackend": ["HearthModel", "HearthRules"],
        ]
        for (engine, known) in engines {
            let targets = Layering.allowed[engine]?.filter { $0.hasPrefix("Hearth") }
            #expect(targets == known, "\(engine)")
        }
    }

    @Test func `the table has no circle`() {
        func reach(_ target: String, _ seen: Set<String>) -> Bool {
            guard !seen.contains(target) else { return false }
            return (Layering.allowed[target] ?? []).allSatisfy { reach($0, seen.union([target])) }
        }
        for target in Layering.allowed.keys { #expect(reach(target, []), "\(target)") }
    }

    @Test func `only what is for tests imports HearthTesting`() {
        for (target, modules) in Layering.allowed {
            #expect(!modules.contains("HearthTesting"), "\(target)")
        }
    }

    @Test func `imports are read whatever stands before them`() {
        let file = SourceFile(
            path: "x.swift",
            text: """
                import A
                package import B
                @testable import C
                @preconcurrency public import D.E
                internal import struct F.G
                    import H
                // import I
                let text = "import J"
                """)
        #expect(file.imports.map(\.module) == ["A", "B", "C", "D", "F", "H"])
    }
}
