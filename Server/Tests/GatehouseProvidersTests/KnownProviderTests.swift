import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseWire
import Testing

@Suite("Known providers")
struct KnownProviderTests {
    @Test("Every provider with a name of its own has its section in docs/providers.md")
    func documents() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../docs")
        let page = try String(contentsOf: root.appendingPathComponent("providers.md"), encoding: .utf8)
        let titles = page.split(separator: "\n").filter { $0.hasPrefix("## ") }
        #expect(!ProviderName.all.isEmpty)
        for name in ProviderName.all {
            #expect(titles.contains { $0.contains("(`\(name.provider)`)") }, "\(name.provider)")
        }
    }

    @Test("Every provider with a name of its own is in the fake world, once")
    func fakes() {
        let known = ProviderName.all.map(\.provider)
        #expect(Set(known).count == known.count)
        #expect(Set(FakeProviders.names) == Set(known + [.studio]))
        #expect(FakeProviders.names.count == known.count + 1)
    }

    @Test("A kind is found by its name, and by the names of its providers")
    func kinds() {
        for kind in ProviderKind.allCases {
            #expect(ProviderKind(rawValue: kind.rawValue) == kind)
            for name in kind.names { #expect(ProviderKind(standardFor: name.provider) == kind) }
        }
        #expect(ProviderKind(rawValue: "moon") == nil)
        #expect(ProviderKind(standardFor: Provider("studio-id")) == .openID)
        #expect(ProviderKind(standardFor: .apple) == .apple)
        #expect(ProviderKind(standardFor: Provider("apple")) == .apple)
        #expect(ProviderKind(standardFor: .hangame) == .partner)
    }
}
