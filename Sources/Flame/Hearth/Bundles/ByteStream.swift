/// Bytes that are read a piece at a time, as Foundation's `InputStream` gives them.
///
/// Hearth does not link Foundation. A program that links Foundation declares once that
/// `InputStream` is a `ByteStream`:
///
///     extension InputStream: @retroactive ByteStream {}
public protocol ByteStream {
    /// Opens the stream.
    func open()
    /// Reads up to `len` bytes.
    ///
    /// - Returns: The number of bytes read; 0 at the end of the stream; a negative number if the
    ///   stream cannot be read.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int
    /// Closes the stream.
    func close()
}

extension ByteStream {
    /// Reads the whole stream on the calling thread.
    ///
    /// - Throws: `invalidArgument` for a hollow stream (see `isHollow`), `notFound` if the stream
    ///   cannot be read.
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

    /// Whether Foundation made the stream of a URL that Foundation cannot read, such as an `http`
    /// URL. A hollow stream lacks its storage; to open the stream would stop the program.
    private var isHollow: Bool {
        Mirror(reflecting: self).children.contains { child in
            child.label == "_streamStorage"
                && (child.value as? any AnyOptional).map { $0.unwrapped == nil } == true
        }
    }
}

extension Firestore {
    /// Loads a bundle from a stream; see `loadBundle`. The calling thread reads the stream.
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
    /// - Throws: `FirestoreError`: `notFound` if the stream cannot be read, `invalidArgument` if
    ///   Foundation has nothing to stream for its URL; otherwise the errors of `loadBundle` with
    ///   bytes.
    @discardableResult
    public nonisolated(nonsending) func loadBundle(
        _ stream: some ByteStream
    ) async throws -> LoadBundleTaskProgress {
        let bytes = try stream.bytes()
        return try await loadBundle(bytes)
    }

    /// Configures the indexes of the machine's cache from a `firestore.indexes.json` in a stream.
    ///
    /// See the form that takes text.
    ///
    /// - Throws: `FirestoreError`: `notFound` or `invalidArgument` if the stream cannot be read;
    ///   otherwise the errors of the form that takes text.
    public nonisolated(nonsending) func setIndexConfiguration(
        _ stream: some ByteStream
    ) async throws {
        let text = String(decoding: try stream.bytes(), as: UTF8.self)
        try await setIndexConfiguration(text)
    }
}
