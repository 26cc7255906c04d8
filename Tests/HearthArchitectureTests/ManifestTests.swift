import Testing

/// `Package.swift`, the table and the imports of the files agree.
struct ManifestTests {
    /// What needs no declaration.
    private static let system: Set<String> = [
        "Synchronization", "Dispatch", "Glibc", "Testing", "Foundation", "FoundationEssentials",
        "FoundationNetworking",
    ]

    private func targets() throws -> [PackageManifest.Target] {
        try PackageManifest(SourceTree.file("Package.swift")).targets
    }

    private func imports(of target: String) throws -> Set<String> {
        Set(try SourceTree.swiftFiles(of: target).flatMap { $0.imports.map(\.module) })
    }

    @Test func `a manifest is read with its constants, labels and comments`() {
        let text = """
            let one: Target.Dependency = .product(name: "One", package: "ones")
            let two: [Target.Dependency] = [
                .product(name: "A", package: "ones"), .product(name: "B", package: "twos"),
            ]
            let package = Package(
                targets: [
                    .systemLibrary(name: "C", path: "Sources/System/C"),
                    // stone("Gone", []),
                    stone("Low", ["C", one], exclude: ["Low/x"]),
                    tests("LowTests", ["Low"] + two),
                    .executableTarget(
                        name: "High",
                        dependencies: ["Low", .product(name: "P", package: "ps")],
                        path: "Sources/Programs/Folder/High", swiftSettings: strict),
                ])
            """
        let targets = PackageManifest(SourceFile(path: "Package.swift", text: text)).targets
        #expect(targets.map(\.name) == ["Low", "LowTests", "High"])
        #expect(targets.map(\.maker) == ["stone", "tests", ".executableTarget"])
        #expect(targets.map(\.folder) == ["Low", "LowTests", "Folder"])
        #expect(targets.map(\.dependencies) == [["C", "One"], ["Low", "A", "B"], ["Low", "P"]])
    }

    @Test func `what is declared, what the table allows and what is imported are the same`() throws
    {
        var declared: [String: Set<String>] = [:]
        for target in try targets() {
            declared[target.folder, default: []].formUnion(target.dependencies)
        }
        for (target, allowed) in Layering.allowed {
            let imported = try imports(of: target).subtracting(Layering.foundation)
            #expect(imported == allowed, "\(target): left imported, right allowed")
            #expect(
                declared[target] == allowed.subtracting(Self.system),
                "\(target): left declared, right allowed")
        }
    }

    @Test func `targets of tests import what they declare, and no less`() throws {
        let tests = try targets().filter { $0.maker == "tests" }
        #expect(tests.count > 10)
        for target in tests {
            let imported = try imports(of: target.name).subtracting(Self.system)
            #expect(
                target.dependencies == imported, "\(target.name): left declared, right imported")
        }
    }

    @Test func `the folder of a target shows on which side of the stone line it lies`() throws {
        let makers = ["stone": "Stone", "flame": "Flame"]
        for target in try targets() where Layering.allowed[target.folder] != nil {
            let folder = makers[target.maker].map { "Sources/\($0)/\(target.name)" } ?? target.path
            let files = try SourceTree.swiftFiles(of: target.folder)
            #expect(!files.isEmpty, "\(target.name)")
            let isStone = Layering.stone.contains(target.name)
            #expect(folder?.hasPrefix("Sources/Stone/") == isStone, "\(target.name)")
            guard let folder else { continue }
            let root = folder.split(separator: "/").prefix(3).joined(separator: "/") + "/"
            for file in files where !file.path.hasPrefix("Tests/") {
                #expect(file.path.hasPrefix(root), "\(file.path) does not lie in \(root)")
            }
        }
    }

    @Test func `a package that wants the library alone fetches two packages`() throws {
        let byName = Dictionary(
            try targets().map { ($0.name, $0.dependencies) }, uniquingKeysWith: { $1 })
        var (reached, waiting): (Set<String>, [String]) = ([], ["Hearth"])
        while let name = waiting.popLast() {
            guard reached.insert(name).inserted else { continue }
            waiting += byName[name] ?? []
        }
        #expect(reached.subtracting(byName.keys) == ["HashTreeCollections", "SwiftProtobuf"])

        // The package manager fetches a package only for a product that has no condition or a true one.
        let manifest = try SourceTree.file("Package.swift").lines.joined(separator: " ")
        let products = manifest.split(separator: ".product(").dropFirst()
            .map { $0.prefix { $0 != ")" } }
        let unconditional = products.filter { !$0.contains("condition: programs") }
        #expect(products.count > 10)
        #expect(unconditional.count == 2, "\(unconditional)")
        for name in ["HashTreeCollections", "SwiftProtobuf"] {
            #expect(unconditional.contains { $0.contains("\"\(name)\"") })
        }
    }
}
