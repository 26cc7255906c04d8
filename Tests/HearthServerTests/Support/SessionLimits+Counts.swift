// The fuzz target compiles this file together with parts of the module, see Scripts/fuzz.
#if canImport(HearthServer)
    import HearthServer
#endif

extension SessionLimits {
    /// The defaults but for what one session may have open.
    init(listenerCountMax: Int, requestCountMax: Int) {
        self.init()
        self.listenerCountMax = listenerCountMax
        self.requestCountMax = requestCountMax
    }
}
