package import HearthEngine
package import HearthFirestore

/// Passes on the steps of bundles.
extension FailingTransaction {
    package func bundle(_ id: String) throws(StoreError) -> BundleRecord? {
        try next().bundle(id)
    }

    package func setBundle(_ bundle: BundleRecord) throws(StoreError) {
        try next().setBundle(bundle)
    }

    package func namedQuery(_ name: String) throws(StoreError) -> NamedQuery? {
        try next().namedQuery(name)
    }

    package func setNamedQuery(_ query: NamedQuery) throws(StoreError) {
        try next().setNamedQuery(query)
    }

    package func begunBundles() throws(StoreError) -> [BegunBundle] { try next().begunBundles() }

    package func setBegunBundle(_ bundle: BegunBundle) throws(StoreError) {
        try next().setBegunBundle(bundle)
    }

    package func removeBundle(_ id: String) throws(StoreError) { try next().removeBundle(id) }
}
