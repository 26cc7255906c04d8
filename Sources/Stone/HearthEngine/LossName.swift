package import HearthModel

/// What an engine calls a loss: the thing that its store lacks, and the thing's edition.
package struct LossName: Hashable, Sendable {
    /// The thing, such as a bundle by its id.
    package let thing: String
    /// When the edition was made. An edition makes good the losses of itself and of the editions before.
    package let madeAt: Timestamp

    /// Names a loss.
    package init(of thing: String, madeAt: Timestamp) {
        self.thing = thing
        self.madeAt = madeAt
    }
}
