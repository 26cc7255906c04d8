// swift-tools-version: 6.1
import PackageDescription

// Three programs that share one daemon. Without traits Hearth is its library alone: two packages are
// fetched, and neither gRPC nor SwiftNIO is among them.

let hearth: Target.Dependency = .product(name: "Hearth", package: "hearth")

let package = Package(
    name: "restaurant",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Elsewhere: .package(path: "../hearth", traits: []), with a clone of that name beside the package.
        .package(name: "hearth", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "Restaurant", dependencies: [hearth]),
        .executableTarget(name: "till", dependencies: ["Restaurant", hearth]),
        .executableTarget(name: "kitchen", dependencies: ["Restaurant", hearth]),
        .executableTarget(name: "stock", dependencies: ["Restaurant", hearth]),
    ]
)
