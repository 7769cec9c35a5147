/// A QR code, to be drawn as SVG: the console shows an operator the `otpauth://` address of a second factor this way.
///
/// The symbol holds the text's UTF-8 bytes in byte mode at error correction level M. The comments cite ISO/IEC 18004:2015.
struct QRCode: Sendable {
    /// The number of modules on each side, without the quiet zone: from 21 for version 1 to 65 for version 12.
    let size: Int
    private let modules: [Bool]

    /// Encodes a text of 0 to 287 bytes of UTF-8 in the smallest version that holds it. Returns `nil` for a longer text.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = Version.all.first(where: { bytes.count <= $0.room }) else { return nil }
        var grid = Grid(version)
        grid.place(version.codewords(of: bytes))
        // Scanners read every mask. The standard chooses the one with the lowest penalty, here the first of equal ones.
        let candidates = Grid.masks.indices.map { grid.masked($0) }.map { (dark: $0.dark, penalty: $0.penalty) }
        modules = candidates.min { $0.penalty < $1.penalty }?.dark ?? grid.dark
        size = grid.size
    }

    /// Whether a module is dark, counted from 0 at the top left. Modules outside the symbol belong to the quiet zone and are light.
    subscript(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// The length of each side of the view box, which includes the quiet zone of four modules around the symbol.
    var side: Int { size + 8 }

    /// The dark modules as the `d` of one `<path>` in a view box of `0 0 side side`. Adjacent modules of a row form one rectangle, so
    /// that no seams show between them: `M4 4h7v1h-7z` is the top edge of the first finder pattern.
    var path: String {
        var path = ""
        for row in 0..<size {
            var length = 0
            for column in 0..<size {
                length = self[row, column] ? length + 1 : 0
                if length > 0 && !self[row, column + 1] {
                    path += "M\(column - length + 5) \(row + 4)h\(length)v1h-\(length)z"
                }
            }
        }
        return path
    }
}

/// A size of symbol, and how it divides its codewords at level M.
private struct Version {
    let number: Int
    /// The number of data codewords, which include the mode and the length of the text.
    let capacity: Int
    let blocks: Int
    /// The number of error correction codewords in each block.
    let correction: Int

    /// The longest text. Mode, length and terminator take the rest: the length has 8 bits up to version 9, and 16 bits from then on.
    var room: Int { capacity - (number < 10 ? 2 : 3) }

    /// The rows of tables 7 and 9 for level M.
    static let all = [
        (16, 1, 10), (28, 1, 16), (44, 1, 26), (64, 2, 18), (86, 2, 24), (108, 4, 16),
        (124, 4, 18), (154, 4, 22), (182, 5, 22), (216, 5, 26), (254, 5, 30), (290, 8, 22),
    ].enumerated().map { Version(number: $0 + 1, capacity: $1.0, blocks: $1.1, correction: $1.2) }

    /// The codewords in the order of the symbol (section 7.6): the blocks are interleaved, so that damage to one place is shared by all.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var rest = padded(bytes)[...]
        let data = (0..<blocks).map { index in
            // The blocks that are one codeword longer come last.
            let block = Array(rest.prefix((capacity + index) / blocks))
            rest = rest.dropFirst(block.count)
            return block
        }
        let divisor = ReedSolomon.generator(degree: correction)
        return [data, data.map { ReedSolomon.remainder(of: $0, by: divisor) }].flatMap { parts in
            (0..<capacity).flatMap { index in parts.filter { index < $0.count }.map { $0[index] } }
        }
    }

    /// Mode, length, text and terminator, filled up to the capacity (section 7.4).
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        let length = (number < 10 ? [bytes.count] : [bytes.count >> 8, bytes.count]).map {
            UInt8(truncatingIfNeeded: $0)
        }
        // The mode has four bits, and so has the terminator. The bytes between them are therefore shifted by half a byte.
        let content = length + bytes
        let data = zip([0b0100] + content, content + [0]).map { $0 << 4 | $1 >> 4 }
        return data + (data.count..<capacity).map { ($0 - data.count) % 2 == 0 ? 0xEC : 0x11 }
    }
}

/// Polynomials over the field of 256 elements with the modulus x⁸ + x⁴ + x³ + x² + 1. The highest coefficient comes first.
private enum ReedSolomon {
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(UInt8(0)) { ($0 << 1) ^ (($0 >> 7) * 0x1D) ^ ((right >> $1 & 1) * left) }
    }

    /// The product of x − 2ⁱ for all i below the degree, without its leading coefficient, which is 1.
    static func generator(degree: Int) -> [UInt8] {
        var result = Array(repeating: UInt8(0), count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            result = zip(result, result.dropFirst() + [0]).map { product($0, root) ^ $1 }
            root = product(root, 2)
        }
        return result
    }

    static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
        data.reduce(divisor.map { _ in 0 }) { rest, byte in
            zip(rest.dropFirst() + [0], divisor).map { $0 ^ product($1, byte ^ rest[0]) }
        }
    }
}

/// The modules of a symbol while it is drawn, row by row.
private struct Grid {
    let size: Int
    private(set) var dark: [Bool]
    /// Marks the function patterns and the areas of format and version, which hold no data and are never masked.
    private var reserved: [Bool]

    init(_ version: Version) {
        size = 17 + 4 * version.number
        dark = Array(repeating: false, count: size * size)
        reserved = dark
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        // A finder pattern has a light ring inside, and a light separator that the edge of the symbol cuts off on two sides.
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            drawRings(row, column, radius: 4, light: [2, 4])
        }
        // Annex E: no version below 14 has more than three alignment patterns in a line. Finder patterns take three of the corners.
        let last = size - 7
        let centers = version.number == 1 ? [] : version.number < 7 ? [6, last] : [6, (6 + last) / 2, last]
        for row in centers {
            for column in centers where ![[6, 6], [6, last], [last, 6]].contains([row, column]) {
                drawRings(row, column, radius: 2, light: [1])
            }
        }
        drawFormat(mask: 0)
        guard version.number >= 7 else { return }
        let bits = Self.protected(version.number, generator: 0b1_1111_0010_0101, degree: 12)
        for index in 0..<18 {
            set(index / 3, size - 11 + index % 3, bits >> index & 1 == 1)
            set(size - 11 + index % 3, index / 3, bits >> index & 1 == 1)
        }
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        dark[row * size + column] = isDark
        reserved[row * size + column] = true
    }

    /// Draws rings around a center, as far as they lie in the symbol. Those at the given distances are light.
    private mutating func drawRings(_ row: Int, _ column: Int, radius: Int, light: [Int]) {
        for index in dark.indices {
            let distance = max(abs(index / size - row), abs(index % size - column))
            if distance <= radius { set(index / size, index % size, !light.contains(distance)) }
        }
    }

    /// Draws the level and the mask twice (section 7.9). Level M is 00, so the data is the mask's number.
    private mutating func drawFormat(mask: Int) {
        let bits = Self.protected(mask, generator: 0b101_0011_0111, degree: 10) ^ 0b101_0100_0001_0010
        // The first copy runs around the corner at row and column 8, and leaves out the timing patterns in row and column 6.
        for (index, near) in [0, 1, 2, 3, 4, 5, 7, 8, 7, 5, 4, 3, 2, 1, 0].enumerated() {
            let isDark = bits >> index & 1 == 1
            if index < 8 { set(near, 8, isDark) } else { set(8, near, isDark) }
            if index < 8 { set(8, size - 1 - index, isDark) } else { set(size - 15 + index, 8, isDark) }
        }
        set(size - 8, 8, true)
    }

    /// A value of at most 6 bits, followed by the check bits of a BCH code: the remainder of its division by the generator (annex C).
    private static func protected(_ value: Int, generator: Int, degree: Int) -> Int {
        var rest = value << degree
        for bit in (0..<6).reversed() where rest >> (bit + degree) & 1 == 1 { rest ^= generator << bit }
        return value << degree | rest
    }

    /// Fills the free modules (section 7.7.3) in strips of two columns from the right, upwards and downwards in turn. Up to seven
    /// modules are left over, and stay light until they are masked.
    mutating func place(_ codewords: [UInt8]) {
        var bits = codewords.flatMap { byte -> [Bool] in (0..<8).reversed().map { byte >> $0 & 1 == 1 } }.makeIterator()
        // No strip includes column 6, because it is a timing pattern.
        for (strip, right) in (Array(stride(from: size - 1, through: 8, by: -2)) + [5, 3, 1]).enumerated() {
            for step in 0..<size {
                let row = strip % 2 == 0 ? size - 1 - step : step
                for index in [row * size + right, row * size + right - 1] where !reserved[index] {
                    dark[index] = bits.next() ?? false
                }
            }
        }
    }

    /// The conditions of table 10 on row and column. A mask inverts the modules where its condition holds.
    static let masks: [@Sendable (Int, Int) -> Bool] = [
        { i, j in (i + j) % 2 == 0 }, { i, _ in i % 2 == 0 }, { _, j in j % 3 == 0 }, { i, j in (i + j) % 3 == 0 },
        { i, j in (i / 2 + j / 3) % 2 == 0 }, { i, j in i * j % 2 + i * j % 3 == 0 },
        { i, j in (i * j % 2 + i * j % 3) % 2 == 0 }, { i, j in ((i + j) % 2 + i * j % 3) % 2 == 0 },
    ]

    func masked(_ mask: Int) -> Grid {
        var result = self
        for index in dark.indices where !reserved[index] && Self.masks[mask](index / size, index % size) {
            result.dark[index].toggle()
        }
        result.drawFormat(mask: mask)
        return result
    }

    /// A measure of how hard the symbol is to read (section 7.8.3).
    var penalty: Int {
        // Every full 5 percent that the share of dark modules is away from 50 costs 10.
        var total = 10 * (10 * abs(2 * dark.count { $0 } - dark.count) / dark.count)
        for line in 0..<size {
            total +=
                Self.penalty((0..<size).map { dark[line * size + $0] })
                + Self.penalty((0..<size).map { dark[$0 * size + line] })
        }
        // Each square of four equal modules costs 3.
        for index in 0..<(size * (size - 1)) where index % size < size - 1 && dark[index] == dark[index + 1] {
            if dark[index] == dark[index + size] && dark[index] == dark[index + size + 1] { total += 3 }
        }
        return total
    }

    /// The penalty for a row or column: 3 for a run of five equal modules and 1 for each further one, and 40 for what looks like a
    /// finder pattern with four light modules on one side.
    private static func penalty(_ line: [Bool]) -> Int {
        var (total, run, window) = (0, 0, 0)
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run >= 5 { total += run == 5 ? 3 : 1 }
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if index >= 10 && (window == 0b101_1101_0000 || window == 0b000_0101_1101) { total += 40 }
        }
        return total
    }
}
