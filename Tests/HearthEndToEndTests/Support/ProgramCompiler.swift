import Glibc
import HearthTestSupport
import Testing

/// Compiles programs against the library as `swift build` has left it, which takes a second or two.
struct ProgramCompiler {
    /// What the compiler made of a program.
    struct Outcome {
        /// 0 if it compiles.
        let status: Int32
        /// Errors and warnings.
        let messages: String
    }

    private let world: World

    /// A compiler whose files lie in the world's folder.
    init(_ world: World) {
        self.world = world
    }

    /// Makes a program; returns its path.
    ///
    /// - Parameter libraries: The results of `library` for the imported modules.
    func program(_ name: String, _ sources: [String], libraries: [String] = []) throws -> String {
        let path = "\(world.folder.path)/\(name)"
        let list = world.write(try Self.objects(), to: "\(name).objects")
        let outcome = try run(
            name,
            sources + libraries + ["@\(list)", "-module-name", name, "-o", path]
                + ["-I", world.folder.path])
        try #require(outcome.status == 0, "\(outcome.messages)")
        return path
    }

    /// Makes a module that programs can import; returns its object.
    func library(_ name: String, _ sources: [String]) throws -> String {
        let path = "\(world.folder.path)/\(name)"
        let outcome = try run(
            name,
            sources + [
                "-parse-as-library", "-wmo", "-c", "-module-name", name, "-o", path + ".o",
                "-emit-module", "-emit-module-path", path + ".swiftmodule",
            ])
        try #require(outcome.status == 0, "\(outcome.messages)")
        return path + ".o"
    }

    /// Looks whether a program would compile.
    ///
    /// - Parameter language: The version of the language, 6 or 5.
    func check(_ name: String, _ source: String, language: Int = 6) throws -> Outcome {
        let path = world.write(source, to: "\(name).swift")
        return try run(
            "\(name)-\(language)", [path, "-typecheck", "-swift-version", "\(language)"])
    }

    private func run(_ name: String, _ arguments: [String]) throws -> Outcome {
        let folder = try ChildProcess.buildFolder()
        let process = try ChildProcess(
            try Self.swiftc(),
            arguments + [
                "-I", "\(folder)/Modules", "-module-cache-path", "\(folder)/ModuleCache",
                "-Xcc", "-fmodule-map-file=\(folder)/CLinux.build/module.modulemap",
                "-diagnostic-style", "llvm",
            ] + (arguments.contains("-swift-version") ? [] : ["-swift-version", "6"])
                + Self.sanitizer,
            log: "\(world.folder.path)/\(name)-compiler.log",
            output: "\(world.folder.path)/\(name)-compiler.log",
            environment: ["PATH=\(Self.searchPath)"])
        let status = process.exitStatus()
        return Outcome(status: status, messages: world.log("\(name)-compiler"))
    }

    /// What the tests are instrumented with, programs must be too.
    private static var sanitizer: [String] {
        if getenv("TSAN_OPTIONS") != nil { return ["-sanitize=thread"] }
        return getenv("ASAN_OPTIONS") != nil ? ["-sanitize=address"] : []
    }

    private static var searchPath: String {
        getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    }

    private static func swiftc() throws -> String {
        let candidates = searchPath.split(separator: ":").map { "\($0)/swiftc" }
        return try #require(
            candidates.first { access($0, X_OK) == 0 }, "There is no swiftc in \(searchPath).")
    }

    /// The objects to link with, a quoted path each line: the objects of a program that was linked
    /// with the library.
    ///
    /// The build folder may hold others besides, of files that have another name now.
    private static func objects() throws -> String {
        let folder = try ChildProcess.buildFolder()
        let list = try #require(
            Judges.bytes(of: "\(folder)/DemoWriter.product/Objects.LinkFileList"),
            "DemoWriter is not built")
        return String(decoding: list, as: UTF8.self).split(separator: "\n")
            .filter { !$0.contains("/DemoWriter.build/") }
            // Names with spaces are quoted in the list, by marks that the compiler does not know.
            .map { line in "\"\(line.filter { !"\"'\\".contains($0) })\"\n" }.joined()
    }
}
