import CZlib
package import HearthModel

/// How bytes are packed on the wire, as `grpc-encoding` and `content-encoding` name it.
package enum ContentCoding: Equatable, Sendable {
    /// The bytes as they are, not packed.
    case identity
    /// `gzip`, or `deflate`, which is zlib's form; zlib tells the two apart by the first bytes.
    case packed

    /// The codings that are understood, as a header lists them.
    package static let names = "identity,deflate,gzip"

    /// Reads a coding's name.
    ///
    /// - Returns: `nil` for a coding that is not understood.
    package init?(name: String) {
        switch name.lowercased() {
        case "", "identity": self = .identity
        case "gzip", "x-gzip", "deflate": self = .packed
        default: return nil
        }
    }

    /// Unpacks one message.
    ///
    /// - Parameter byteCountMax: How large the unpacked message may be. A few packed bytes can hold
    ///   gigabytes.
    /// - Throws: `invalidArgument` if the unpacked message is larger, `internalError` for bytes
    ///   that are not packed.
    package func unpacked(
        _ bytes: UnsafeRawBufferPointer, byteCountMax: Int
    ) throws(HearthError) -> [UInt8] {
        switch self {
        case .identity: Array(bytes)
        case .packed: try Self.inflated(bytes, byteCountMax: byteCountMax)
        }
    }

    /// Packs bytes as gzip, quickly rather than well.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard czlib_gzip_init(&stream, Z_BEST_SPEED) == Z_OK else {
            preconditionFailure("zlib has no memory")
        }
        defer { deflateEnd(&stream) }
        let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
        return bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
                stream.next_in = Self.input(source)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(capacity)
                let status = deflate(&stream, Z_FINISH)
                precondition(status == Z_STREAM_END, "zlib needs more than it said")
                count = capacity - Int(stream.avail_out)
            }
        }
    }

    private static let broken = HearthError(
        code: .internalError, message: "The message cannot be decompressed.")

    private static func inflated(
        _ source: UnsafeRawBufferPointer, byteCountMax: Int
    ) throws(HearthError) -> [UInt8] {
        var stream = z_stream()
        guard czlib_inflate_init(&stream) == Z_OK else { throw broken }
        defer { inflateEnd(&stream) }
        stream.next_in = input(source)
        stream.avail_in = UInt32(source.count)
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(max(4 * source.count, 1_024), 1 << 18))
        while true {
            let status = chunk.withUnsafeMutableBufferPointer { target in
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return inflate(&stream, Z_NO_FLUSH)
            }
            result += chunk[..<(chunk.count - Int(stream.avail_out))]
            guard result.count <= byteCountMax else { throw .tooLarge }
            switch status {
            case Z_STREAM_END where stream.avail_in == 0: return result
            case Z_OK: continue
            default: throw broken
            }
        }
    }

    /// zlib does not write to its input, though the input's type is a mutable pointer.
    private static func input(
        _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeMutablePointer<UInt8>? {
        UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    }
}

extension HearthError {
    /// The error for a client whose request is larger than production takes.
    package static let tooLarge = HearthError(
        code: .invalidArgument,
        message:
            "Request payload size exceeds the limit: \(ConnectionLimits.requestByteCountMax) bytes."
    )
}
