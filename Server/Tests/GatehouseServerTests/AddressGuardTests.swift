import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct AddressGuardTests {
    @Test("NET-1: no address of this machine, of its networks or of none at all is the internet's")
    func addresses() {
        for text in [
            "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.168.1.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
            "::",
            "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "64:ff9b::7f00:1",
            "2002:7f00:1::", "2001:db8::1", "2001::1", "100::1",
        ] {
            #expect(ClientAddress(text).map(AddressGuard.isPublic) == false, "\(text)")
        }
        #expect(!AddressGuard.isPublic(.unknown))
        for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111", "2a00:1450::1"] {
            #expect(ClientAddress(text).map(AddressGuard.isPublic) == true, "\(text)")
        }
    }

    @Test(
        "NET-1: the server's own requests go over https to the internet, by whatever spelling",
        arguments: [
            "http://127.0.0.1:9/", "http://example.com/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/",
            "https://169.254.169.254/latest", "https://[::ffff:127.0.0.1]/", "ftp://example.com/", "file:///etc/passwd",
            "https://user@8.8.8.8/", "https://localhost:1/", "https://2130706433:1/", "https://0x7f000001:1/",
            "https://0177.0.0.1:1/", "https://127.1:1/", "",
        ])
    func requests(url: String) async {
        await #expect(throws: (any Error).self) {
            try await OutgoingHTTP.fetch(
                OutgoingRequest(method: "GET", url: url), reachesLocal: false, seconds: OutgoingRequest.standardSeconds)
        }
    }
}
