/// Which addresses the server's own requests may go to (NET-1): the internet's, and no machine that only this one can reach.
/// Asked for the address of each connection, so that what a name leads to at another moment makes no difference.
enum AddressGuard {
    /// IPv4 networks that are not the internet's (IANA's special-purpose registry).
    private static let special = Networks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])
    /// Of IPv6, all else is not the internet's.
    private static let global = Networks(["2000::/3"])

    static func isPublic(_ address: ClientAddress) -> Bool {
        guard let special, let global else { return false }
        switch address.bytes.count {
        case 4: return !special.contains(address)
        case 16: return global.contains(address) && !special.contains(address)
        default: return false
        }
    }
}
