/// Bytes that are read a piece at a time, as Foundation's `InputStream` gives them.
///
/// The library does without Foundation, so a program that has it says once that its streams fit:
///
///     extension InputStream: @retroactive ByteStream {}
public protocol ByteStream {
    /// Begins.
    func open()
    /// Reads up to `len` bytes; returns how many, 0 at the end, less if it cannot be read.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int
    /// Ends.
    func close()
}

extension ByteStream {
    /// Reads all of it, on the calling thread.
    func bytes() throws(FirestoreError) -> [UInt8] {
        if isHollow {
            throw FirestoreError(
                .invalidArgument,
                "The stream has nothing to read: on Linux, Foundation streams files and data, but "
                    + "no other URL. Fetch it with URLSession.data(from:), and load that.")
        }
        open()
        defer { close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { read($0, maxLength: buffer.count) } ?? 0
            }
            guard count >= 0 else {
                throw FirestoreError(.notFound, "The stream cannot be read.")
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// Whether this is the stream that Foundation makes of a URL which it cannot read, such as one
    /// of `http`: it lacks its storage, and to open it ends the program.
    private var isHollow: Bool {
        Mirror(reflecting: self).children.contains { child in
            child.label == "_streamStorage"
                && (child.value as? any AnyOptional).map { $0.unwrapped == nil } == true
        }
    }
}

extension Firestore {
    /// Loads a bundle from a stream, which is read on the calling thread; see `loadBundle`.
    @discardableResult
    public func loadBundle(
        _ stream: some ByteStream,
        completion: (@Sendable (LoadBundleTaskProgress?, (any Error)?) -> Void)?
    ) -> LoadBundleTask {
        do throws(FirestoreError) {
            return loadBundle(try stream.bytes(), completion: completion)
        } catch {
            let task = LoadBundleTask(callbacks: client.callbacks)
            if let completion {
                task.whenDone { _, error in completion(nil, error) }
            }
            task.finished(.failure(error))
            return task
        }
    }

    /// Loads a bundle from a stream, and waits until it is in the machine's cache.
    ///
    /// - Throws: `FirestoreError` `notFound` if the stream cannot be read; otherwise as
    ///   `loadBundle` of bytes.
    @discardableResult
    public nonisolated(nonsending) func loadBundle(
        _ stream: some ByteStream
    ) async throws -> LoadBundleTaskProgress {
        let bytes = try stream.bytes()
        return try await loadBundle(bytes)
    }

    /// Makes the indexes of a `firestore.indexes.json`, read from a stream, those of the machine's
    /// cache; see the form that takes text.
    public nonisolated(nonsending) func setIndexConfiguration(
        _ stream: some ByteStream
    ) async throws {
        let text = String(decoding: try stream.bytes(), as: UTF8.self)
        try await setIndexConfiguration(text)
    }
}
