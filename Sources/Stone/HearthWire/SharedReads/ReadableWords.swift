/// Words of 64 bits that one side writes while others read them.
///
/// The memory orders have the meaning of C11. A plain `load` has no order to other words.
package protocol ReadableWords {
    /// A word, perhaps one that has been written over meanwhile.
    func load(_ index: Int) -> UInt64

    /// A word, with all that was written before the word was released.
    func loadAcquiring(_ index: Int) -> UInt64

    /// Puts the loads before in front of the loads behind.
    func fenceAcquiring()
}

/// The writer's side of the words. Only one thread at a time may write.
package protocol WritableWords: ReadableWords {
    /// Writes a word, with no order to other words.
    func store(_ value: UInt64, at index: Int)

    /// Writes a word behind all that was written before.
    func storeReleasing(_ value: UInt64, at index: Int)

    /// Puts the stores before in front of the stores behind.
    func fenceReleasing()
}
