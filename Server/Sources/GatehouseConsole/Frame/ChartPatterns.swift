/// What tells areas apart besides their colour, where somebody needs that: lines in them. The style has the dashes of a line.
enum ChartPatterns {
    private static let paths = [
        nil, "M-2 2L2 -2M0 8L8 0M6 10L10 6", "M1 2H3M5 6H7", "M0 4H8", "M-2 6L2 10M0 0L8 8M6 -2L10 2", "M4 0V8",
        "M0 4H8M4 0V8", "M0 8L8 0M0 0L8 8",
    ]

    static func path(of style: Int) -> String? { paths[(style + style / 8 * 3) % paths.count] }
}
