import HearthServer

extension SessionLimits {
    /// The defaults but for what one session may have open.
    init(listenerCountMax: Int, requestCountMax: Int) {
        self.init()
        self.listenerCountMax = listenerCountMax
        self.requestCountMax = requestCountMax
    }
}
