package import HearthWire

/// One of the frames of something that several clients may get.
package struct SharedFrame: Equatable, Sendable {
    /// The frame, under the number 0.
    package let frame: Frame
    /// Whether no frame follows.
    package let isLast: Bool
}
