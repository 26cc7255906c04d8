/// The frames of something large, made one at a time.
package protocol FrameParts: Sendable {
    /// Whether all frames have been made.
    var isAtEnd: Bool { get }

    /// The next frame, under the number 0; `nil` after the last frame.
    ///
    /// - Throws: `WireError` if the frame cannot be encoded.
    mutating func next() throws(WireError) -> Frame?
}
