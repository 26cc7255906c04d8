import HearthModel
import NIOCore
import NIOHTTP1
import Synchronization

/// The body of one request of HTTP/1.1, as the body came. May be read on any thread.
package struct HTTPBody: Sendable {
    /// `nil` for a body that is too large.
    private let bytes: ByteBuffer?
    /// `nil` for a coding that nobody knows.
    private let coding: ContentCoding?
    private let byteCountMax: Int
    /// Counts the bytes for as long as the body is held.
    private let share: HeldBodies.Share?

    /// A body that has come whole, or was too large to be kept.
    init(
        _ bytes: ByteBuffer?, _ share: HeldBodies.Share? = nil, of head: HTTPRequestHead,
        byteCountMax: Int
    ) {
        self.bytes = bytes
        self.share = share
        self.byteCountMax = byteCountMax
        coding = ContentCoding(name: head.headers.first(name: "content-encoding") ?? "")
    }

    /// Whether the body is too large to be read, packed as it came.
    package var isTooLarge: Bool { bytes == nil }

    /// Whether reading the body may take so long that other connections should not wait for it.
    package var isLong: Bool {
        coding == .packed
            || bytes?.readableBytes ?? 0 > ConnectionLimits.promptBodyByteCountMax
    }

    /// How many bytes the body may have once it is unpacked.
    ///
    /// A few packed bytes can hold gigabytes, so whoever sends few bytes may have few unpacked.
    private var unpackedByteCountMax: Int {
        guard coding == .packed, let bytes else { return byteCountMax }
        let share = bytes.readableBytes.multipliedReportingOverflow(
            by: ConnectionLimits.unpackedRatioMax)
        let most = share.overflow ? Int.max : share.partialValue
        return min(byteCountMax, max(ConnectionLimits.unpackedByteCountMax, most))
    }

    /// What to tell the client of a body that is too large.
    package var sizeRefusal: String {
        guard coding == .packed, let bytes else {
            return "The request's body has more than \(byteCountMax) bytes."
        }
        let most = unpackedByteCountMax
        let advice =
            most < byteCountMax ? " Sent without a coding, it may have \(byteCountMax) bytes." : ""
        return "The request's body unpacks to more than \(most) bytes, which is too much for "
            + "\(bytes.readableBytes) packed bytes.\(advice)"
    }

    /// The body, unpacked.
    ///
    /// - Throws: The fault for which the body cannot be read; `tooLarge` as soon as the unpacked
    ///   bytes are more than allowed.
    /// - Complexity: O(n) in the packed bytes: a body may unpack to 10 MiB, or to 32 times its
    ///   packed bytes.
    package func unpacked() throws(HTTPExchange.BodyFault) -> [UInt8] {
        guard let bytes else { throw .tooLarge }
        guard let coding else { throw .unknownCoding }
        let most = unpackedByteCountMax
        let result = bytes.withUnsafeReadableBytes { bytes in
            Result { () throws(HearthError) in
                try coding.unpacked(bytes, byteCountMax: most)
            }
        }
        switch result {
        case .success(let bytes): return bytes
        case .failure(let error): throw error.code == .internalError ? .broken : .tooLarge
        }
    }
}

/// Whether anybody still waits for an answer; known on every thread.
package final class ExchangeEnd: Sendable {
    private let flag = Atomic(false)

    /// Nobody has gone yet.
    init() {}

    /// Whether the connection is gone, so that work for the answer is in vain.
    package var hasCome: Bool { flag.load(ordering: .relaxed) }

    /// The connection is gone.
    func come() { flag.store(true, ordering: .relaxed) }
}
