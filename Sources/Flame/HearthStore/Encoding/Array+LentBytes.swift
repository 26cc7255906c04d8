import HearthEngine
import HearthFirestore

extension [UInt8] {
    /// Lends the bytes where they lie, to what throws a store's errors.
    func lend<Result>(_ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let outcome = withUnsafeBytes { bytes in
            do throws(StoreError) {
                return Swift.Result<Result, StoreError>.success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
