/// Whose refusals of a write count.
package enum WriteJudge: Sendable {
    /// Google's emulator, as far as its refusals are known: what `hearthd emulate` refuses.
    case emulator
    /// Firestore, as far as its refusals are known. What only the emulator is known to refuse is left
    /// to Firestore: whole numbers and NaN in vectors, vectors in arrays, references to what is no
    /// document, and transforms of a field together with a field inside.
    case firestore
}
