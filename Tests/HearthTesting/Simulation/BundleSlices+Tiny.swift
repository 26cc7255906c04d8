package import HearthFirestore

extension BundleSlices {
    /// Slices of a document or two, so that nearly every bundle needs several turns.
    package static let tiny: BundleSlices = {
        var slices = BundleSlices()
        slices.stepCountMax = 2
        slices.wholeStepCountMax = 0
        return slices
    }()
}
