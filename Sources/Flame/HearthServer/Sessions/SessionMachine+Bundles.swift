import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire

/// Bundles, which come in parts and are kept until they are whole.
extension SessionMachine {
    /// A part has come.
    mutating func received(_ part: Request.BundlePart, _ number: UInt64) -> [Action] {
        var parts = BundleParts()
        switch owed[number] {
        case .bundle(let begun)?: parts = begun
        case nil:
            if let refusal = refusal(of: .loadBundle(part)) {
                return [.reply(.failed(refusal), number)]
            }
        case .reply?, .write?, .loading?, .listener?, .syncListener?:
            return end(
                .init(
                    code: .invalidArgument,
                    message: "The number \(number) is in use; never use a number twice."))
        }
        owed[number] = nil  // So that `parts` is the only reference and grows in place.
        begunBundles[number] = nil
        let byteCount = owed.bundleByteCount + parts.bytes.count + part.data.count
        guard byteCount <= configuration.memory.bundleByteCountMax else {
            return [.reply(.failed(tooMuch(byteCount)), number)]
        }
        parts.append(part.data)
        owed[number] = .bundle(parts)
        guard part.hasMore else { return load(parts.bytes, number) }
        bundlePartCount += 1
        begunBundles[number] = bundlePartCount
        let progress = Event.BundleProgress(parts.progress, isFinished: false)
        return [.reply(.bundleProgress(progress), number)]
    }

    /// The next part of none of these bundles has come in time, if they have not changed.
    ///
    /// - Parameter earlier: What `begunBundles` was that long ago.
    package mutating func bundlesTimedOut(_ earlier: [UInt64: UInt64]) -> [Action] {
        earlier.keys.sorted().flatMap { number -> [Action] in
            guard begunBundles[number] == earlier[number] else { return [] }
            owed[number] = nil
            begunBundles[number] = nil
            let error = HearthError(
                code: .deadlineExceeded,
                message: "The next part of the bundle has not come within "
                    + "limits.bundleSecondsMax = "
                    + "\(configuration.memory.bundleSecondsMax) seconds.")
            return [.reply(.failed(error), number)]
        }
    }

    private func tooMuch(_ byteCount: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The bundles that the session has begun would have \(byteCount) bytes, and "
                + "the limit is limits.bundleByteCountMax = "
                + "\(configuration.memory.bundleByteCountMax) bytes.")
    }

    private mutating func load(_ bytes: [UInt8], _ number: UInt64) -> [Action] {
        guard let database else { return [] }
        do throws(BundleError) {
            let bundle = try BundleReader.read(bytes, database: database)
            owed[number] = .loading(byteCount: bytes.count)
            let id = RequestID(session: configuration.session, number: number)
            return [.submit(.loadBundle(id, bundle))]
        } catch {
            owed[number] = nil
            let error = HearthError(code: .invalidArgument, message: error.description)
            return [.reply(.failed(error), number)]
        }
    }
}
