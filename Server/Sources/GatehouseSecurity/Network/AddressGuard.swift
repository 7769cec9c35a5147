/// Restricts the addresses for the server's own requests (NET-1) to the internet's, so that no request can reach machines of an
/// internal network. The address of each connection is checked, so that a name that later resolves to another address makes no
/// difference.
package enum AddressGuard {
    /// IPv4 networks that are not part of the public internet (IANA's special-purpose registry).
    private static let special = Networks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])
    /// The only IPv6 network that is part of the public internet.
    private static let global = Networks(["2000::/3"])

    package static func isPublic(_ address: ClientAddress) -> Bool {
        guard let special, let global else { return false }
        switch address.bytes.count {
        case 4: return !special.contains(address)
        case 16: return global.contains(address) && !special.contains(address)
        default: return false
        }
    }
}
