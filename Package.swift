// swift-tools-version: 6.1
import PackageDescription

// Hearth's targets, in the order of the folders of `Sources`: what the system has, stone, flame, programs.
// `Tests/HearthArchitectureTests` holds what each may import.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// What only the programs need; the library is built from the two packages without this condition.
let programs: TargetDependencyCondition? = .when(traits: ["Programs"])
let collections: Target.Dependency = .product(
    name: "HashTreeCollections", package: "swift-collections")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging: Target.Dependency = .product(
    name: "Logging", package: "swift-log", condition: programs)
// What only tests use: grpc-swift is the judge of our own client and server.
let grpc: [Target.Dependency] = [
    .product(name: "GRPCCore", package: "grpc-swift-2", condition: programs),
    .product(
        name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport", condition: programs
    ),
    .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: programs),
]
let arguments: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let nioCore: Target.Dependency = .product(
    name: "NIOCore", package: "swift-nio", condition: programs)
let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio", condition: programs),
    .product(name: "NIOPosix", package: "swift-nio", condition: programs),
]
let http1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio", condition: programs)
let http: [Target.Dependency] = [
    .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
    .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: programs),
    .product(name: "NIOHPACK", package: "swift-nio-http2", condition: programs),
]
let webSocket: Target.Dependency = .product(
    name: "NIOWebSocket", package: "swift-nio", condition: programs)
// What tokens need of HTTP and RSA, and what calls to the backend need of TLS.
let web: [Target.Dependency] = [
    .product(name: "NIOHTTP1", package: "swift-nio", condition: programs),
    .product(name: "NIOSSL", package: "swift-nio-ssl", condition: programs),
    .product(name: "CryptoExtras", package: "swift-crypto", condition: programs),
]

func stone(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Stone/\(name)", exclude: exclude,
        swiftSettings: strict)
}

func flame(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Flame/\(name)", exclude: exclude,
        swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict)
}

let package = Package(
    name: "hearth",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Hearth", targets: ["Hearth"]),
        .executable(name: "hearthd", targets: ["HearthDaemon"]),
        .executable(name: "hearth", targets: ["HearthProgram"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(
            name: "Programs",
            description: "The daemon, the command line and the tests. A package that wants the "
                + "library alone turns the trait off, and fetches no more than the library needs."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf.git", exact: "1.39.0", traits: []),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", exact: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", exact: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf.git", exact: "2.4.1"),
    ],
    targets: [
        // System: C that Swift cannot import by itself.
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", path: "Sources/System/CSystemd", pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        .target(name: "CPage", path: "Sources/System/CPage"),

        // Stone.
        stone("HearthModel", [collections]),
        stone(
            "HearthProtocol", ["HearthModel", protobuf], exclude: ["Firestore/Protos/google"]),
        stone(
            "HearthWire", ["HearthEngine", "HearthModel", "HearthProtocol", protobuf],
            exclude: ["Protos/hearth.proto", "PROTOCOL.md"]),
        stone("HearthEngine", ["HearthModel", collections]),
        stone("HearthFirestore", ["HearthEngine", "HearthModel", collections]),
        stone("HearthRealtime", ["HearthEngine", "HearthModel", collections]),
        stone("HearthRules", ["HearthModel"]),
        stone(
            "HearthBackend", ["HearthRules", "HearthModel", collections],
            exclude: ["DIFFERENCES.md"]),

        // Flame.
        flame("HearthThreads", [nioCore]),
        flame("HearthSQLite", ["HearthEngine", "HearthModel", "CSQLite", "CLinux"]),
        flame(
            "HearthStore",
            [
                "HearthSQLite", "HearthFirestore", "HearthRealtime", "HearthEngine",
                "HearthProtocol", "HearthModel", collections,
            ]),
        flame(
            "HearthRemote",
            [
                "HearthRPC", "HearthProtocol", "HearthFirestore", "HearthRealtime",
                "HearthEngine", "HearthModel", "CLinux",
                protobuf, webSocket,
            ] + nio + web),
        flame("HearthRPC", ["HearthThreads", "HearthModel", "CZlib", logging, nioCore] + http),
        flame(
            "HearthEmulator",
            [
                "HearthRPC", "HearthThreads", "HearthBackend", "HearthRules", "HearthSQLite",
                "HearthEngine", "HearthProtocol", "HearthModel",
                "CLinux", protobuf, logging,
                http1, webSocket,
            ] + nio),
        flame(
            "HearthServer",
            [
                "HearthFirestore", "HearthRealtime", "HearthEngine", "HearthStore",
                "HearthSQLite", "HearthThreads", "HearthWire", "HearthProtocol", "HearthModel",
                "CSystemd", "CLinux", logging,
            ] + nio),
        flame(
            "HearthGateway",
            [
                "HearthServer", "HearthRPC", "HearthThreads", "HearthFirestore", "HearthBackend",
                "HearthEngine", "HearthProtocol", "HearthWire", "HearthModel", protobuf, logging,
                nioCore,
            ]),
        flame(
            "Hearth", ["HearthWire", "HearthEngine", "HearthProtocol", "HearthModel", "CLinux"]),
        flame(
            "HearthConsole",
            ["Hearth", "HearthRPC", "HearthModel", "CPage", "CLinux", logging, http1] + nio,
            exclude: ["Page"]),
        .executableTarget(
            name: "HearthDaemon",
            dependencies: [
                "HearthServer", "HearthGateway", "HearthSQLite", "HearthRemote", "HearthEmulator",
                "HearthFirestore", "HearthRealtime",
                "HearthEngine",
                "HearthRules", "HearthBackend", "HearthWire", "HearthModel", "HearthCLI",
                "HearthConsole", "CLinux", logging,
                arguments,
            ],
            path: "Sources/Programs/HearthDaemon", swiftSettings: strict),
        .target(
            name: "HearthCLI",
            dependencies: [
                "Hearth", "HearthConsole", "CLinux",
                arguments,
            ],
            path: "Sources/Programs/HearthCLI", exclude: ["Manual"], swiftSettings: strict),
        // `hearth` alone, which links in seconds. Installed, it is another name of `hearthd`.
        .executableTarget(
            name: "HearthProgram", dependencies: ["HearthCLI"],
            path: "Sources/Programs/HearthProgram", swiftSettings: strict),

        // The two programs of Scripts/demo.
        .executableTarget(
            name: "DemoListener", dependencies: ["Hearth"], path: "Sources/Programs/Demo/Listener",
            swiftSettings: strict),
        .executableTarget(
            name: "DemoWriter", dependencies: ["Hearth"], path: "Sources/Programs/Demo/Writer",
            swiftSettings: strict),

        // Scripts/bench-store: the store and the engine in process.
        .executableTarget(
            name: "HearthStoreBenchmark",
            dependencies: [
                "HearthStore", "HearthSQLite", "HearthFirestore", "HearthRealtime", "HearthEngine",
                "HearthModel", "HearthProtocol", "CSQLite",
            ],
            path: "Benchmarks/Store", swiftSettings: strict),

        // Scripts/bench-memory: a program with a listener to a node.
        .executableTarget(
            name: "NodeListener", dependencies: ["Hearth"], path: "Benchmarks/NodeListener",
            swiftSettings: strict),

        // Tests, and what only tests use.
        .target(
            name: "HearthTesting",
            dependencies: [
                "HearthFirestore", "HearthRealtime", "HearthEngine", "HearthBackend", "HearthModel",
            ],
            path: "Tests/HearthTesting", swiftSettings: strict),
        .target(
            name: "HearthTestSupport", path: "Tests/HearthTestSupport", swiftSettings: strict),
        tests(
            "HearthModelTests", ["HearthModel", "HearthTestSupport"],
            exclude: ["Vectors/ask-emulator.py", "Vectors/make-bloom-filters.py"]),
        tests(
            "HearthProtocolTests",
            ["HearthProtocol", "HearthModel", "HearthTestSupport", protobuf],
            exclude: ["Support/compare-descriptors"]),
        tests(
            "HearthWireTests",
            ["HearthWire", "HearthEngine", "HearthProtocol", "HearthModel", "HearthTestSupport"]),
        tests("HearthEngineTests", ["HearthEngine", "HearthModel", "HearthTestSupport"]),
        tests(
            "HearthRealtimeTests",
            [
                "HearthRealtime", "HearthEngine", "HearthModel", "HearthTesting",
                "HearthTestSupport",
            ]),
        tests(
            "HearthFirestoreTests",
            [
                "HearthFirestore", "HearthEngine", "HearthModel", "HearthTesting", "HearthStore",
                "HearthSQLite",
                "HearthTestSupport",
                collections,
            ]),
        tests(
            "HearthRulesTests", ["HearthRules", "HearthModel", "HearthTestSupport"],
            exclude: ["Vectors/ask-emulator.py"]),
        tests(
            "HearthBackendTests",
            ["HearthBackend", "HearthRules", "HearthModel", "HearthTestSupport"]),
        tests(
            "HearthSQLiteTests",
            ["HearthSQLite", "HearthEngine", "HearthModel", "HearthTestSupport"]),
        tests(
            "HearthStoreTests",
            [
                "HearthStore", "HearthSQLite", "HearthFirestore", "HearthRealtime", "HearthEngine",
                "HearthBackend", "HearthProtocol", "HearthModel",
                "HearthTesting", "HearthTestSupport", "CSQLite",
            ],
            exclude: ["Support/ninth-step-back.sql"]),
        tests(
            "HearthRemoteTests",
            [
                "HearthRemote", "HearthEmulator", "HearthFirestore", "HearthRealtime",
                "HearthEngine", "HearthProtocol", "HearthModel",
                "HearthTestSupport", protobuf, logging, webSocket,
            ] + grpc + nio + web),
        tests("HearthThreadsTests", ["HearthThreads"] + nio),
        tests(
            "HearthRPCTests",
            [
                "HearthRPC", "HearthModel", "HearthTestSupport", logging, webSocket,
                .product(name: "NIOEmbedded", package: "swift-nio", condition: programs),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: programs),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: programs),
            ] + http + nio),
        tests(
            "HearthEmulatorTests",
            [
                "HearthEmulator", "HearthRPC", "HearthBackend", "HearthRules", "HearthSQLite",
                "HearthEngine", "HearthProtocol", "HearthModel",
                "HearthTestSupport", protobuf, logging,
            ] + grpc + nio, exclude: ["REST/Vectors"]),
        tests(
            "HearthServerTests",
            [
                "HearthServer", "HearthStore", "HearthSQLite", "HearthFirestore",
                "HearthRealtime", "HearthEngine", "HearthWire",
                "HearthProtocol",
                "HearthModel", "HearthTesting", "HearthTestSupport", "CLinux", logging, collections,
                .product(name: "NIOEmbedded", package: "swift-nio", condition: programs),
            ] + nio),
        tests(
            "HearthGatewayTests",
            [
                "HearthGateway", "HearthDaemon", "HearthEmulator", "HearthServer", "HearthRPC",
                "HearthFirestore", "HearthEngine", "HearthProtocol", "HearthWire", "HearthModel",
                "HearthTestSupport", protobuf, logging, collections,
            ] + grpc + nio),
        tests(
            "HearthTests",
            ["Hearth", "HearthWire", "HearthEngine", "HearthModel", "HearthTestSupport"]),
        tests(
            "HearthConsoleTests",
            [
                "HearthConsole", "Hearth", "HearthRPC", "HearthWire", "HearthEngine", "HearthModel",
                "HearthTestSupport", nioCore, http1,
                .product(name: "NIOEmbedded", package: "swift-nio", condition: programs),
            ]),
        tests(
            "HearthDaemonTests",
            [
                "HearthDaemon", "HearthConsole", "HearthEmulator", "HearthRPC", "HearthRemote",
                "HearthServer", "HearthRealtime", "HearthEngine",
                "HearthWire", "HearthModel",
                "HearthTestSupport", logging,
                arguments,
            ]),
        tests(
            "HearthCLITests",
            [
                "HearthCLI", "Hearth", "HearthWire", "HearthEngine", "HearthModel",
                "HearthTestSupport",
                arguments,
            ]),
        tests(
            "HearthEndToEndTests", ["Hearth", "HearthTestSupport"],
            exclude: [
                "Gateway/call_table.py", "Gateway/node_client.js", "Gateway/node_stories.js",
                "Gateway/JavaClient.java", "Gateway/JavaStories.java", "Gateway/JavaWatch.java",
                "Gateway/offline_stories.go", "Gateway/offline_stories.py", "Gateway/stand_in",
                "SharedReads/shared_reader.py",
            ]),
        tests("HearthArchitectureTests", []),
    ]
)
