// swift-tools-version: 6.1
import PackageDescription

// Depends on the client library alone; `Scripts/bench` starts the daemon that is measured.
let package = Package(
    name: "hearth-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hearth", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "HearthBenchmarks",
            dependencies: [
                .product(name: "Hearth", package: "hearth"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What is compared with: an echo in plain C, and subscribers of Redis.
        .executableTarget(name: "Peers"),
    ]
)
