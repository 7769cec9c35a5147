import GatehousePlatform

/// The machine's name, by which a server recognizes after a crash what it was before. It need not be known to others.
enum MachineName {
    static var current: String { ProcessInfo.processInfo.hostName }
}
