// swift-tools-version: 6.1
import PackageDescription

// Three programs that share one daemon. Of Hearth only the library is built, without gRPC.

let hearth: Target.Dependency = .product(name: "Hearth", package: "hearth")

let package = Package(
    name: "restaurant",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Elsewhere: .package(path: "../hearth"), with a clone of that name beside the package.
        .package(name: "hearth", path: "../..")
    ],
    targets: [
        .target(name: "Restaurant", dependencies: [hearth]),
        .executableTarget(name: "till", dependencies: ["Restaurant", hearth]),
        .executableTarget(name: "kitchen", dependencies: ["Restaurant", hearth]),
        .executableTarget(name: "stock", dependencies: ["Restaurant", hearth]),
    ]
)
