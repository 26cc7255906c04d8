import CLinux
import NIOCore

/// Gives the same bytes to many sockets, hundreds of them in one call of the kernel.
///
/// A call for each socket would take a fifth more of the kernel's time. A kernel that does not
/// allow it gets the calls.
struct ManySends: ~Copyable {
    private enum State {
        case unopened
        /// `nil` if the kernel does not allow it.
        case opened(OpaquePointer?)
    }

    private var state: State
    /// How many bytes each socket took, at the last time.
    private var taken: [Int32] = []

    /// Opens nothing yet: most programs have few listeners.
    ///
    /// - Parameter isRingAllowed: Whether to ask the kernel at all.
    init(isRingAllowed: Bool = true) {
        state = isRingAllowed ? .unopened : .opened(nil)
    }

    deinit {
        if case .opened(let many?) = state { clinux_close_many_sends(many) }
    }

    /// Sends bytes to sockets, without waiting.
    ///
    /// - Returns: The sockets, by their places among the sockets, that did not take all, and how
    ///   many bytes each took: 0 if the send failed.
    mutating func send(
        _ bytes: ByteBuffer, to sockets: ArraySlice<CInt>
    ) -> [(place: Int, takenCount: Int)] {
        let many = opened()
        if taken.count < sockets.count {
            taken = [Int32](repeating: 0, count: sockets.count)
        }
        let behindCount = bytes.withUnsafeReadableBytes { bytes in
            sockets.withUnsafeBufferPointer { sockets in
                taken.withUnsafeMutableBufferPointer { taken in
                    clinux_send_to_many(
                        many, sockets.baseAddress, sockets.count, bytes.baseAddress, bytes.count,
                        taken.baseAddress)
                }
            }
        }
        if behindCount == 0 { return [] }
        return taken.prefix(sockets.count).enumerated().compactMap { place, count in
            count < bytes.readableBytes ? (place, Int(count)) : nil
        }
    }

    private mutating func opened() -> OpaquePointer? {
        if case .opened(let many) = state { return many }
        let many = clinux_open_many_sends()
        state = .opened(many)
        return many
    }
}
