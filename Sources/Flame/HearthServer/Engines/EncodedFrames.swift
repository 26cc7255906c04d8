import HearthWire

/// The frames of something that several clients may get, each made when a client first needs the frame.
struct EncodedFrames<Parts: FrameParts>: Sendable {
    private var rest: Parts
    /// Whether the frames stay for other clients; else each frame is taken once, in order.
    private let keepsFrames: Bool
    private var frames: [Frame] = []
    private var takenCount = 0
    private var error: WireError?

    /// Begins with the first frame.
    init(_ parts: Parts, keepsFrames: Bool = true) {
        rest = parts
        self.keepsFrames = keepsFrames
    }

    /// How many frames are held at the moment.
    var keptCount: Int { frames.count }

    /// A frame by its index; `nil` behind the last frame.
    ///
    /// - Throws: `WireError` if the frame cannot be encoded.
    mutating func frame(_ index: Int) throws(WireError) -> SharedFrame? {
        guard keepsFrames else { return try takeNext(index) }
        while index >= frames.count {
            if let error { throw error }
            do throws(WireError) {
                guard let frame = try rest.next() else { return nil }
                frames.append(frame)
            } catch {
                self.error = error
            }
        }
        let isLast = index == frames.count - 1 && rest.isAtEnd && error == nil
        return SharedFrame(frame: frames[index], isLast: isLast)
    }

    private mutating func takeNext(_ index: Int) throws(WireError) -> SharedFrame? {
        precondition(index == takenCount, "A frame is taken twice")
        guard let frame = try rest.next() else { return nil }
        takenCount += 1
        return SharedFrame(frame: frame, isLast: rest.isAtEnd)
    }
}
